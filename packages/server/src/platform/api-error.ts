import { ERRORS, type ErrorCode } from '@svc/contract/errors'

/** The only error thrown on purpose. Anything else that is thrown is a bug and answers 500. */
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
