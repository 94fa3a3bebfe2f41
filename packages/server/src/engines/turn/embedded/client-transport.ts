/** How one client is reached: its UDP address, or its TCP connection. */
export type Link = {
  /** Unique among the current clients. */
  key: string
  ip: string
  port: number
  isStream: boolean
  /** May drop packets, as networks do. */
  send(bytes: Buffer): void
}

/** Larger than any WebRTC packet; larger ones are rejected unread. */
export const PACKET_BYTES_MAX = 2_048
