import { ERRORS, type ErrorCode } from '@svc/contract/errors'
import { problem } from '@svc/contract/problems'

/** The only error that is thrown on purpose. Any other error is a bug and answers 500. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined

  constructor(code: ErrorCode, details?: Record<string, unknown>, options?: ErrorOptions) {
    super(ERRORS[code].message, options)
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
