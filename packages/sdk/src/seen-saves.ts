import type { KeyValueStorage } from './platform.ts'

export type SeenSaves = ReturnType<typeof createSeenSaves>

/**
 * Which saves of the current player exist, as far as this device has seen them; kept over reloads. Other keys are looked up in
 * the list of saves first, because a browser prints a 404 of a missing save as an error.
 */
export function createSeenSaves(storage: KeyValueStorage, name: string, playerId: () => string) {
  function keys(): string[] {
    try {
      const seen = JSON.parse(storage.getItem(name) ?? '')
      return seen.player === playerId() ? seen.keys : []
    } catch {
      return []
    }
  }

  return {
    has: (key: string) => keys().includes(key),
    note(key: string, exists: boolean) {
      const known = keys()
      if (known.includes(key) === exists) return
      const now = known.filter((one) => one !== key)
      if (exists) now.push(key)
      storage.setItem(name, JSON.stringify({ player: playerId(), keys: now }))
    },
  }
}
