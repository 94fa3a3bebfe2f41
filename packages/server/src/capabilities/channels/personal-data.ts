import type { ChannelStore } from './store.ts'

/** Everything this part stores about a player: to be shown to the player, and to be removed (OWN-01 … OWN-04). */
export const createChannelData = (store: ChannelStore) => ({
  exportForPlayer: async (environmentId: string, playerId: string) => ({
    channels: await store.entriesOf(environmentId, playerId),
  }),
  removeForPlayer: store.removeForPlayer,
})
