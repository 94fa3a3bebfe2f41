/** Cloud saves. */
export type SavesTables = {
  /** Cloud saves. */
  saves: {
    environmentId: string
    playerId: string
    key: string
    version: number
    size: number
    updatedAt: string
    /**
     * The JSON text as it was sent; null once deleted: the row stays, so that no version is ever used twice.
     * The last column, because SQLite has to read through it to reach a later one.
     */
    data: string | null
  }
}
