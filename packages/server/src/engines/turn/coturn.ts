import type { WallClock } from '../../platform/clock.ts'
import type { Turn } from '../../platform/ports/turn.ts'
import { credentialsFor } from './credentials.ts'
import { requireReachable } from './reachable.ts'

type CoturnSettings = { urls: readonly string[]; secret: string }

/** A TURN server of the operator that shares a secret with the service: coturn, eturnal and similar ones. */
export const openCoturn = ({ urls, secret }: CoturnSettings, clock: WallClock): Turn => ({
  isOfOneNode: false,
  async iceServers({ playerId }) {
    const { username, credential, expiresAt } = credentialsFor(playerId, secret, clock)
    return { iceServers: [{ urls: [...urls], username, credential }], expiresAt }
  },
  ping: async () => void (await Promise.all(urls.map(requireReachable))),
  async close() {},
})
