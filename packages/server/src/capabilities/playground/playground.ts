import { LIMITS } from '@svc/contract/common/limits'
import type { SessionView } from '@svc/contract/players'
import type { NetworkConditions } from '@svc/contract/playground'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, HOUR_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import type { PlaygroundStore } from './store.ts'

type PlaygroundDeps = {
  clock: Clock
  counters: SlidingCounters
  /** A publishable key of the environment in plain text. */
  keyOf(environment: Environment): Promise<string>
  signInAsGuest(environment: Environment, input: { displayName: string }): Promise<SessionView>
  /** Undefined if the project was deleted. */
  findEnvironment(environmentId: string): Promise<Environment | undefined>
  /** Deletes a player with all data; throws `player_not_found`. */
  deletePlayer(environment: Environment, playerId: string): Promise<unknown>
  playerExists(environmentId: string, playerId: string): Promise<boolean>
  /** On all nodes. Returns how many open connections the player has. */
  simulateNetwork(environmentId: string, playerId: string, conditions: NetworkConditions): Promise<number>
}

export type Playground = ReturnType<typeof createPlayground>

const LIFETIME_MS = DAY_MS
const CALLS_PER_HOUR_MAX = 30
const DELETED_TOGETHER = 100
const GOOD_NETWORK: NetworkConditions = { latencyMs: 0, lossPercent: 0, paused: false }

/** Guests for developers who try out an app in the dashboard. */
export function createPlayground(store: PlaygroundStore, deps: PlaygroundDeps) {
  const { clock, counters, keyOf, signInAsGuest, findEnvironment, deletePlayer } = deps

  async function newPlayer(environment: Environment, number: number) {
    const session = await signInAsGuest(environment, { displayName: `Player ${number}` })
    const expiresAt = timestamp(clock, LIFETIME_MS)
    await store.add({ environmentId: environment.id, playerId: session.player.id, expiresAt })
    return session
  }

  return {
    async create(
      environment: Environment,
      { count, firstNumber = 1 }: { count: number; firstNumber?: number | undefined },
    ) {
      if (environment.name !== 'development') throw new ApiError('not_found')
      requireAdmitted(await counters.admit(`playground:${environment.id}`, HOUR_MS, CALLS_PER_HOUR_MAX))
      const sessions: SessionView[] = []
      for (let at = 0; at < count; at++) sessions.push(await newPlayer(environment, firstNumber + at))
      return { key: await keyOf(environment), sessions }
    },

    async simulateNetwork(
      environment: Environment,
      { playerId, ...chosen }: { playerId: string } & Partial<NetworkConditions>,
    ) {
      if (environment.name !== 'development') throw new ApiError('development_only')
      if (!(await deps.playerExists(environment.id, playerId))) throw new ApiError('player_not_found')
      const conditions = { ...GOOD_NETWORK, ...chosen }
      const connections = await deps.simulateNetwork(environment.id, playerId, conditions)
      const isSimulated = conditions.latencyMs > 0 || conditions.lossPercent > 0 || conditions.paused
      const expiresAt = isSimulated ? timestamp(clock, LIMITS.simulatedNetworkTtlMs) : null
      return { ...conditions, connections, expiresAt }
    },

    async purgeExpired() {
      for (;;) {
        const expired = await store.expired(timestamp(clock), DELETED_TOGETHER)
        for (const { environmentId, playerId } of expired) {
          const environment = await findEnvironment(environmentId)
          if (environment) await deletePlayer(environment, playerId).catch(ignoreMissing)
          await store.remove({ environmentId, playerId })
        }
        if (expired.length < DELETED_TOGETHER) return
      }
    },

    exportForPlayer: async (environmentId: string, playerId: string) => ({
      playground: (await store.find({ environmentId, playerId })) ?? null,
    }),
    removeForPlayer: store.removeForPlayer,
  }
}

function ignoreMissing(error: unknown) {
  if (!(error instanceof ApiError) || error.code !== 'player_not_found') throw error
}
