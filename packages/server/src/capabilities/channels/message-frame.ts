import { LIMITS } from '@svc/contract/limits'

import { ApiError } from '../../platform/api-error.ts'

/** CHN-10: of the data as JSON text. */
export function requireSmallEnough(data: string) {
  const limit = LIMITS.messageDataBytesMax
  if (Buffer.byteLength(data) > limit) throw new ApiError('payload_too_large', { limit })
}

/**
 * A channel_message as text: what was sent goes on to the letter, and is put together once for all who get it.
 * Name, sender and time hold nothing that JSON would escape.
 */
export const messageText = (
  channel: string,
  from: string,
  type: string,
  data: string,
  atMs: number,
): string =>
  `{"t":"channel_message","channel":"${channel}","from":"${from}","type":${JSON.stringify(type)},"data":${data},"at":${atMs}}`
