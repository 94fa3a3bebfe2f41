import { asText, shortened } from './intrinsics.ts'

const REFUSAL = Symbol.for('svc.refusal')
/** The longest reason that a player gets. */
export const REASON_LENGTH_MAX = 200

/** Whether code of the developer returned a promise, or something that behaves like one. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** The reason of a `Refusal`, from whichever copy of the SDK; undefined for any other thrown value. */
export function refusalOf(error: unknown): string | undefined {
  try {
    if (typeof error !== 'object' || error === null || !(REFUSAL in error)) return undefined
    return shortened(asText('reason' in error ? error.reason : ''), REASON_LENGTH_MAX)
  } catch {
    return undefined
  }
}
