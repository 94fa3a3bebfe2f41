/** Exit codes, for scripts; docs/cli.md is generated from this table. */
export const EXIT_CODES = {
  ok: { code: 0, error: '', meaning: 'done' },
  failed: {
    code: 1,
    error: 'failed',
    meaning: 'local failure: a file, the config document or a `svc doctor` check',
  },
  usage: {
    code: 2,
    error: 'wrong_use',
    meaning: 'wrong usage: unknown command or option, missing argument, or a question that needs a terminal',
  },
  signIn: {
    code: 3,
    error: 'not_signed_in',
    meaning: 'not signed in, or the credentials do not allow this command',
  },
  refused: { code: 4, error: 'refused', meaning: 'the service rejected the request; see its error code' },
  unreachable: {
    code: 5,
    error: 'unreachable',
    meaning: 'the service does not respond, or sends an unexpected response',
  },
  stopped: { code: 130, error: 'stopped', meaning: 'canceled by you (Ctrl-C, or answered no)' },
} as const

export type Exit = keyof typeof EXIT_CODES

type More = {
  code?: string
  fix?: string | undefined
  details?: Record<string, unknown> | undefined
  /** The page about this error. */
  docUrl?: string | undefined
}

/** An error that is shown to the user: what went wrong, and how to fix it. */
export class Failure extends Error {
  readonly exit: Exit
  /** Error code for scripts: that of the service, or of the table above. */
  readonly code: string
  readonly fix: string | undefined
  readonly details: Record<string, unknown> | undefined
  readonly docUrl: string | undefined

  constructor(
    exit: Exit,
    message: string,
    { code = EXIT_CODES[exit].error, fix, details, docUrl }: More = {},
  ) {
    super(message)
    this.exit = exit
    this.code = code
    this.fix = fix
    this.details = details
    this.docUrl = docUrl
  }
}

/** Whether the error is a Failure, with one of these codes if some are given. */
export const isFailure = (error: unknown, ...codes: string[]): error is Failure =>
  error instanceof Failure && (codes.length === 0 || codes.includes(error.code))

/** For `catch`: a failure with one of these codes becomes undefined; every other error is thrown again. */
export const ignoring =
  (...codes: string[]) =>
  (error: unknown): undefined => {
    if (!isFailure(error, ...codes)) throw error
  }
