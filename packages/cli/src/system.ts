import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

import { Failure } from './output/failure.ts'
import { isByNpmRun } from './project/npm-run.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** A stream that may be a terminal. */
export type Input = Readable & { isTTY?: boolean }
export type TextStream = Writable & { isTTY?: boolean; columns?: number }

/** Calls listeners by the name of a signal. */
export type Signals = Pick<EventEmitter, 'on' | 'once' | 'off'>

/** The parts of a process that a command uses. Tests run commands with other parts, so that these share nothing. */
type ProcessParts = Signals & {
  env: Variables
  cwd(): string
  stdin: Input
  stdout: TextStream
  stderr: TextStream
}

/** Environment variables, folders, streams, signals, time and randomness. Other files get them as arguments. */
export type System = {
  variables: Variables
  /** The folder in which the command was typed. */
  folder: string
  home: string
  input: Input
  output: TextStream
  errors: TextStream
  signals: Signals
  now(): Date
  randomText(): string
}

/** The system of a process and of a user with this home folder. */
export const systemOf = (parts: ProcessParts, home: string): System => ({
  variables: parts.env,
  get folder() {
    return startFolder(parts.env) ?? currentFolder(parts)
  },
  home,
  input: parts.stdin,
  output: parts.stdout,
  errors: parts.stderr,
  signals: parts,
  now: () => new Date(),
  randomText: () => randomBytes(18).toString('base64url'),
})

/** The text that was sent to the command, without the end of its last line. Every user of the machine can read arguments. */
export const inputText = async ({ input }: System): Promise<string> =>
  (await text(input)).replace(/\r?\n$/, '')

/** `npm run svc` starts in the folder of package.json; INIT_CWD is the one in which it was typed. */
const startFolder = (variables: Variables): string | undefined =>
  isByNpmRun(variables) ? variables['INIT_CWD'] || undefined : undefined

function currentFolder({ cwd }: ProcessParts): string {
  try {
    return cwd()
  } catch {
    throw new Failure('failed', 'The current folder no longer exists.', {
      fix: 'Change to an existing folder.',
    })
  }
}
