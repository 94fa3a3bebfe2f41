import { setTimeout as sleep } from 'node:timers/promises'

import { ApiError } from '../../../platform/api-error.ts'
import { isRetryable } from './errors.ts'

const ATTEMPTS_MAX = 5
const RETRY_STEP_MS = 5

/** Retries after a deadlock or serialisation failure, which PostgreSQL has rolled back. */
export async function retried<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (attempt === ATTEMPTS_MAX) throw new ApiError('service_unavailable', undefined, { cause: error })
    }
    await sleep(RETRY_STEP_MS * attempt ** 2)
  }
}
