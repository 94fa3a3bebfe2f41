/** Channels that a server created, with their lists of players. Messages are not stored. */
export type ChannelsTables = {
  /** Channels that a server created; all others are in memory only. */
  channels: {
    environmentId: string
    name: string
    /** JSON of `ChannelSettings` (capabilities/channels/channel-state.ts). */
    settings: string
    createdAt: string
  }
  /** One row per player in a list of a channel. */
  channels_lists: {
    environmentId: string
    /** The name of the channel. */
    name: string
    /** A `ListName` (capabilities/channels/moderation.ts): `allow` (may join), `speakers` (may send), `muted` or `banned`. */
    list: string
    playerId: string
    /** When the entry ends; null if it has no end. */
    until: string | null
  }
}
