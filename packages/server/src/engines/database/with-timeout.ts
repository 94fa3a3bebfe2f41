import { ApiError } from '../../platform/api-error.ts'

/** A transaction that never ends would hold its connection forever, and on SQLite block all writers. */
export async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timeout = setTimeout(() => {
    const cause = new Error(`a transaction took longer than ${limitMs} ms`)
    late.reject(new ApiError('service_unavailable', undefined, { cause }))
  }, limitMs)

  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timeout)
  }
}
