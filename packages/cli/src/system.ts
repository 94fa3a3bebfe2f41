import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'

import { Failure } from './failure.ts'
import { isByNpmRun } from './own-packages.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** Environment variables, folders, time and randomness. Other files get them as arguments. */
export type System = {
  variables: Variables
  /** The folder in which the command was typed. */
  folder: string
  home: string
  now(): Date
  randomText(): string
}

export const thisSystem = (): System => ({
  variables: process.env,
  get folder() {
    return startFolder(process.env) ?? currentFolder()
  },
  home: homedir(),
  now: () => new Date(),
  randomText: () => randomBytes(18).toString('base64url'),
})

/** `npm run svc` starts in the folder of package.json; INIT_CWD is the one in which it was typed. */
const startFolder = (variables: Variables): string | undefined =>
  isByNpmRun(variables) ? variables['INIT_CWD'] || undefined : undefined

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw new Failure('failed', 'The current folder no longer exists.', {
      fix: 'Change to an existing folder.',
    })
  }
}
