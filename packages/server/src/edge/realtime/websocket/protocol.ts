/** The numbers of RFC 6455 that both directions speak of. */

/** First byte of a frame: the last fragment of its message, bits left to extensions, what it is. */
export const FINAL = 0x80
export const RESERVED = 0x70
export const OPCODE = 0x0f

export const CONTINUATION = 0x0
export const TEXT = 0x1
export const BINARY = 0x2
/** From here on frames are control frames. */
export const CLOSE = 0x8
export const PING = 0x9
export const PONG = 0xa

/** Second byte: masked or not, and the length of the payload, or which form of length follows. */
export const MASKED = 0x80
export const LENGTH = 0x7f
export const LENGTH_IN_16_BITS = 126
export const LENGTH_IN_64_BITS = 127

export const CONTROL_BYTES_MAX = 125

export const PROTOCOL_ERROR = 1002
export const INVALID_PAYLOAD = 1007
export const POLICY_VIOLATION = 1008
export const MESSAGE_TOO_BIG = 1009
/** Stand for a close frame without a code and for a peer that left without a close frame; neither travels. */
export const NO_STATUS_RECEIVED = 1005
export const ABNORMAL_CLOSURE = 1006

/** What a close frame may hold: the codes of the RFC and its registry, and those left to libraries and applications. */
export const isValidCloseCode = (code: number): boolean =>
  (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999)
