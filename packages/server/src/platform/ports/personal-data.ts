/**
 * What one capability stores about players. A capability that stores something about a player implements it and is listed in
 * app/personal-data.ts; a test fails for every table with a player id that no capability exports and removes.
 */
export type PersonalData<Transaction> = {
  /**
   * Sections of the export, by name; `RawJson` for stored JSON text that is copied unchanged. Never credentials: no hash of a
   * password, token or code.
   */
  exportForPlayer(environmentId: string, playerId: string): Promise<Record<string, unknown>>
  /** Runs in the transaction that deletes the player, and again when no request of the player can be in flight any more. */
  removeForPlayer(transaction: Transaction, environmentId: string, playerId: string): Promise<unknown>
}
