import { messageOf } from '@svc/contract/common/error-messages'
import { ERRORS, type ErrorCode } from '@svc/contract/common/errors'
import { type Problem, problem } from '@svc/contract/common/problems'

/** The only error that is thrown on purpose. Any other error is a bug and answers 500. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined

  /** `message` replaces that of the contract, if it can be more precise. */
  constructor(
    code: ErrorCode,
    details?: Record<string, unknown>,
    {
      message = firstProblem(code, details) ?? messageOf(code, details),
      ...options
    }: ErrorOptions & { message?: string } = {},
  ) {
    super(message, options)
    this.code = code
    this.details = details
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  get body() {
    return {
      error: { code: this.code, message: this.message, ...(this.details && { details: this.details }) },
    }
  }
}

/**
 * Rejects one field of a request for a reason that a schema cannot express: `invalidField('$.name', 'is taken')` reads "name is
 * taken".
 */
export const invalidField = (path: string, predicate: string) =>
  new ApiError('invalid_request', { errors: [problem(path, predicate)] })

/** The first problem of a request is in the message, where everybody sees it (GEN-06). */
function firstProblem(code: ErrorCode, details: Record<string, unknown> | undefined): string | undefined {
  const errors = code === 'invalid_request' ? (details?.['errors'] as Problem[] | undefined) : undefined
  const [first, ...others] = errors ?? []
  if (!first) return undefined
  const sentence = /[.!?]$/.test(first.message) ? first.message : `${first.message}.`
  return others.length === 0 ? sentence : `${sentence} There are ${others.length + 1} problems in all.`
}
