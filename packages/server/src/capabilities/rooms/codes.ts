import { ApiError } from '../../platform/api-error.ts'
import type { Cluster } from '../../platform/ports/cluster.ts'
import type { Random } from '../../platform/random.ts'

type Deps = {
  records: Cluster['records']
  random: Random
  roomExists(environmentId: string, roomId: string): Promise<boolean>
  /** The id of the kept room that has this code. */
  findKept(environmentId: string, code: string): Promise<string | undefined>
}

/** 32 letters and digits that are not confused with each other: eight of them are 40 bits (docs/decisions/0012). */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 8
const TRIES_MAX = 10

/** Codes of live rooms: each code belongs to one room of its environment; case does not matter. */
export function createCodes({ records, random, roomExists, findKept }: Deps) {
  const nameOf = (environmentId: string, code: string) => `code:${environmentId}:${code.toUpperCase()}`
  const madeUp = () => Array.from(random.bytes(LENGTH), (byte) => ALPHABET.charAt(byte & 31)).join('')

  async function take(environmentId: string, code: string, roomId: string): Promise<boolean> {
    const name = nameOf(environmentId, code)
    if (await records.add(name, roomId)) return true
    const holder = await records.get(name)
    // This same room has already reserved it on its previous node; asking the room would deadlock.
    if (holder === roomId) return true
    if (holder !== undefined && (await roomExists(environmentId, holder))) return false
    // The room of this code was lost with its node.
    if (holder !== undefined) await records.remove(name, holder)
    return records.add(name, roomId)
  }

  return {
    async reserve(environmentId: string, { id, code }: { id: string; code: string | undefined }) {
      if (code !== undefined) {
        const isKept = (await findKept(environmentId, code)) !== undefined
        if (!isKept && (await take(environmentId, code, id))) return code.toUpperCase()
        throw new ApiError('code_taken')
      }
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const some = madeUp()
        if (await take(environmentId, some, id)) return some
      }
      throw new ApiError('service_unavailable')
    },

    find: (environmentId: string, code: string) => records.get(nameOf(environmentId, code)),
    renew: (environmentId: string, roomId: string, code: string) =>
      records.add(nameOf(environmentId, code), roomId),
    free: (environmentId: string, roomId: string, code: string) =>
      records.remove(nameOf(environmentId, code), roomId),
  }
}
