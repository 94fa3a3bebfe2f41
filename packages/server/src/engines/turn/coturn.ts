import type { Clock } from '../../platform/clock.ts'
import { credentialsFor } from './credentials.ts'
import type { Turn } from './turn.ts'

type CoturnSettings = { urls: readonly string[]; secret: string }

/**
 * A TURN server of the operator that shares a secret with the service: coturn, eturnal and similar ones. The service never calls
 * it.
 */
export const openCoturn = ({ urls, secret }: CoturnSettings, clock: Clock): Turn => ({
  isOfOneNode: false,
  async iceServers({ playerId }) {
    const { username, credential, expiresAt } = credentialsFor(playerId, secret, clock)
    return { iceServers: [{ urls: [...urls], username, credential }], expiresAt }
  },
  async close() {},
})
