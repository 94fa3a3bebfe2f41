/** Channels that a server created, with their lists of players. Messages are in no table. */
export type ChannelsTables = {
  /** Channels that a server created; all others are in memory only. */
  channels: { environmentId: string; name: string; settings: string; createdAt: string }
  /** Players who may join, may send, are muted or are banned; `until` is null without an end. */
  channels_lists: {
    environmentId: string
    name: string
    list: string
    playerId: string
    until: string | null
  }
}
