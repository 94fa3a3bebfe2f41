import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'

export type Variables = Readonly<Record<string, string | undefined>>

/** What the machine is asked for: its variables, folders, time and chance. Everything else gets them as arguments. */
export type Machine = {
  variables: Variables
  /** Where the command was typed. */
  folder: string
  home: string
  now(): Date
  randomText(): string
}

export const thisMachine = (): Machine => ({
  variables: process.env,
  folder: process.cwd(),
  home: homedir(),
  now: () => new Date(),
  randomText: () => randomBytes(18).toString('base64url'),
})
