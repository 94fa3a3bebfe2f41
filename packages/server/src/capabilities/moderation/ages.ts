import type { Actor } from '@svc/contract/common/schemas'
import type { AgeBand, AgeProfile, AgeSignal } from '@svc/contract/moderation'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player, PlayerRef } from '../../platform/player.ts'
import { changeIn } from '../../platform/ports/audit.ts'
import {
  type Age,
  bandFor,
  capabilitiesFor,
  correctedTo,
  mayDeclare,
  UNKNOWN,
  withSignal,
} from './age-bands.ts'
import type { AgeRow, AgeStore } from './ages-store.ts'
import type { Audit, PlayerExists } from './ports.ts'
import type { Transaction } from './store.ts'

type AgeDeps = {
  clock: Clock
  audit: Audit
  playerExists: PlayerExists
  audienceOf(environmentId: string): Promise<string>
}

export type Ages = ReturnType<typeof createAges>

/** What is known about the age of a player: declared, reported by the app, or corrected by a developer. */
export function createAges(store: AgeStore, { clock, audit, playerExists, audienceOf }: AgeDeps) {
  async function profile(environmentId: string, age: Age): Promise<AgeProfile> {
    const ageBand = bandFor(age, await audienceOf(environmentId))
    return { ageBand, declaredAgeBand: age.declared, capabilities: capabilitiesFor(ageBand) }
  }

  async function read(environmentId: string, playerId: string): Promise<AgeProfile> {
    return profile(environmentId, ageOf(await store.find(environmentId, playerId)))
  }

  /** Reads, decides and writes in one step; does nothing for a deleted player. */
  async function change(
    environmentId: string,
    playerId: string,
    gone: 'invalid_token' | 'player_not_found',
    decide: (age: Age, transaction: Transaction) => Age | Promise<Age>,
  ): Promise<AgeProfile> {
    const changed = await store.change(environmentId, playerId, async (transaction) => {
      if (!(await playerExists(transaction, environmentId, playerId))) throw new ApiError(gone)
      const ages = store.in(transaction)
      const age = await decide(ageOf(await ages.find(environmentId, playerId)), transaction)
      await ages.write({ environmentId, playerId, ...age, updatedAt: timestamp(clock) })
      return age
    })
    return profile(environmentId, changed)
  }

  return {
    profile: ({ environmentId, id }: PlayerRef) => read(environmentId, id),

    /** For other capabilities. */
    bandOf: async (environment: { id: string }, playerId: string): Promise<AgeBand> =>
      (await read(environment.id, playerId)).ageBand,
    /** Whether players of these ages count as children. */
    async childCheck(environmentId: string): Promise<(age: AgeColumns) => boolean> {
      const audience = await audienceOf(environmentId)
      return (age) => bandFor(ageOf(age), audience) === 'child'
    },
    capabilitiesOf: async (environment: { id: string }, playerId: string) =>
      (await read(environment.id, playerId)).capabilities,

    declare: ({ environmentId, id }: Player, { band }: { band: AgeBand }) =>
      change(environmentId, id, 'invalid_token', (age) => {
        if (!mayDeclare(age, band)) throw new ApiError('age_change_not_allowed')
        return { ...age, declared: band }
      }),

    async signal({ environmentId, id }: Player, signal: AgeSignal): Promise<AgeProfile> {
      requireOrder(signal)
      return change(environmentId, id, 'invalid_token', (age) => withSignal(age, signal))
    },

    correct: (environment: Environment, actor: Actor, playerId: string, { band }: { band: AgeBand }) =>
      change(environment.id, playerId, 'player_not_found', async (_, transaction) => {
        await audit.record(transaction, changeIn(environment, actor, 'player.age', playerId, { band }))
        return correctedTo(band)
      }),
  }
}

type AgeColumns = Pick<AgeRow, 'declared' | 'signalled'>

const ageOf = (row: AgeColumns | undefined): Age =>
  row ? { declared: row.declared as AgeBand | null, signalled: row.signalled as AgeBand | null } : UNKNOWN

function requireOrder({ lowerBound = 0, upperBound = Infinity }: AgeSignal) {
  if (lowerBound <= upperBound) return
  throw invalidField('$.lowerBound', 'must not be above upperBound')
}
