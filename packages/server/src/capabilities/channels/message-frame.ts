import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../platform/api-error.ts'

/** CHN-10: the limit applies to the data as JSON text. */
export function requireSmallEnough(data: string) {
  const limit = LIMITS.messageDataBytesMax
  if (Buffer.byteLength(data) > limit) throw new ApiError('payload_too_large', { limit })
}

/**
 * A channel_message as text: the data is passed on unchanged, and the text is built once for all receivers.
 * Name, sender and time contain nothing that JSON would escape.
 */
export const messageText = (
  channel: string,
  from: string,
  type: string,
  data: string,
  atMs: number,
): string =>
  `{"t":"channel_message","channel":"${channel}","from":"${from}","type":${JSON.stringify(type)},"data":${data},"at":${atMs}}`
