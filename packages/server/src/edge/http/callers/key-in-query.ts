import type { Endpoint } from '@svc/contract/common/endpoint'

import { ApiError } from '../../../platform/api-error.ts'
import type { Environment } from '../../../platform/environment.ts'
import { byKey, type CallerLookups } from './callers.ts'
import type { EnforceRateLimit } from './rate-limits.ts'

/**
 * A link that a browser opens has no headers, so its key is in the URL: only a publishable key, because URLs are logged and shared.
 * It has the rate limit of the endpoint that it belongs to.
 */
export const findKeyInQuery =
  (
    { findKey }: Pick<CallerLookups, 'findKey'>,
    enforceRateLimit: EnforceRateLimit | undefined,
    endpoint: Endpoint,
  ) =>
  async (text: string | undefined, clientAddress: string): Promise<Environment> => {
    if (!text) throw new ApiError('key_required')
    const key = await findKey(text)
    if (!key) throw new ApiError('invalid_key')
    if (key.type !== 'publishable') throw new ApiError('publishable_key_required')
    await enforceRateLimit?.(endpoint, byKey('public', key), clientAddress)
    return key.environment
  }
