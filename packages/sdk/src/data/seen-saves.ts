import type { KeyValueStorage } from '../http/platform.ts'
import { attempt, readJson } from '../session/storage.ts'

/** The saves that this device knows to exist. */
export type SeenSaves = ReturnType<typeof createSeenSaves>

/**
 * Stores which saves of the current player this device has seen; kept across reloads. Other keys are looked up in the list of
 * saves first, because a browser prints the 404 of a missing save as an error.
 */
export function createSeenSaves(storage: KeyValueStorage, name: string, playerId: () => string) {
  function keys(): string[] {
    const seen = readJson<{ player: string; keys: string[] }>(storage, name)
    return seen && seen.player === attempt(playerId) ? seen.keys : []
  }

  return {
    has: (key: string) => keys().includes(key),
    record(key: string, exists: boolean) {
      const known = keys()
      if (known.includes(key) === exists) return
      const now = known.filter((other) => other !== key)
      if (exists) now.push(key)
      storage.setItem(name, JSON.stringify({ player: playerId(), keys: now }))
    },
  }
}
