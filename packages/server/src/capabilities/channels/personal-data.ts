import type { ChannelStore } from './store.ts'

/** Exports and removes everything that channels store about a player (OWN-01 … OWN-04). */
export const createChannelData = (store: ChannelStore) => ({
  exportForPlayer: async (environmentId: string, playerId: string) => ({
    channels: await store.entriesOf(environmentId, playerId),
  }),
  removeForPlayer: store.removeForPlayer,
})
