/** How one client is reached: its UDP address, or its TCP connection. */
export type Link = {
  /** Different for each client at any one time. */
  key: string
  ip: string
  port: number
  isStream: boolean
  /** May drop what it is given, as networks do. */
  send(bytes: Buffer): void
}

/** More than any packet of WebRTC; what is larger is refused unread. */
export const PACKET_BYTES_MAX = 2_048
