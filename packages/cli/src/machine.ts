import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'

import { Failure } from './failure.ts'

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
  get folder() {
    return currentFolder()
  },
  home: homedir(),
  now: () => new Date(),
  randomText: () => randomBytes(18).toString('base64url'),
})

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw new Failure('failed', 'The folder in which this was typed is gone.', {
      fix: 'Go into one that is there.',
    })
  }
}
