import { type Clock, DAY_MS, dayOf, millisecondsOf } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { Random } from '../../platform/random.ts'

type SaltDeps = {
  clock: Clock
  random: Random
  secrets: {
    getOrCreate(id: string, make: () => string): Promise<string>
    /** Removes the secrets from `from` up to, but not including, `before`. */
    removeRange(from: string, before: string): Promise<unknown>
  }
}
export type Salts = ReturnType<typeof createSalts>

const PREFIX = 'sharing:salt:'
const SALT_BYTES = 32
/** Today's salt and yesterday's. */
const DAYS_MAX = 2

/** A random salt per UTC day, the same on every node. After it is deleted, stored hashes cannot be linked to visitors any more. */
export function createSalts({ clock, random, secrets }: SaltDeps) {
  const known = new Map<string, Promise<Buffer>>()

  async function read(day: string) {
    const make = () => random.bytes(SALT_BYTES).toString('base64')
    return Buffer.from(await secrets.getOrCreate(`${PREFIX}${day}`, make), 'base64')
  }

  return {
    of(day: string): Promise<Buffer> {
      const found = known.get(day)
      if (found) return found
      const salt = read(day)
      setBounded(known, day, salt, DAYS_MAX)
      // A failed read is not cached.
      salt.catch(() => known.delete(day))
      return salt
    },

    /** Removes the salts of the day before yesterday and earlier. */
    async removeOld(): Promise<void> {
      const before = oldestKept(clock)
      for (const day of known.keys()) if (day < before) known.delete(day)
      await secrets.removeRange(PREFIX, `${PREFIX}${before}`)
    },
  }
}

/** The oldest day that is kept: yesterday. */
export const oldestKept = (clock: Clock): string => dayOf(millisecondsOf(clock) - DAY_MS)
