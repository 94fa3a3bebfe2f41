/** When the first room of an environment was created; rooms themselves are in memory only. */
export type RoomsTables = {
  /** When the first room of an environment was created; rooms themselves are in memory only. */
  rooms_firsts: { environmentId: string; at: string }
}
