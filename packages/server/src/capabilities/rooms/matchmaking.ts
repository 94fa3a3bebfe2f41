import type { FieldsOf, ReplyOf } from '@svc/contract/common/frame'
import type { cancelMatch, quickMatch } from '@svc/contract/realtime/rooms'

import type { Actors } from '../../platform/actors/actors.ts'
import type { Queries } from '../../platform/actors/queries.ts'
import { ApiError } from '../../platform/api-error.ts'
import { millisecondsOf } from '../../platform/clock.ts'
import type { RoomCode } from './code/port.ts'
import type { Mode, Modes } from './modes.ts'
import {
  type Party,
  queueActorName,
  type QueueName,
  type QueueProtocol,
  type Wait,
} from './queue-protocol.ts'
import { Queue, queueHandlers, type QueueDeps, type QueueSnapshot } from './queue.ts'
import { type Caller, joiningPlayerOf, queueOf, type RoomConnection, roomOf } from './room-connection.ts'
import type { Rooms } from './rooms.ts'

type MatchmakingDeps = Pick<QueueDeps, 'fill' | 'report' | 'clock'> & {
  openMatch: QueueDeps['open']
  queries: Queries
  followRename: Rooms['followRename']
  findLostMatch: Rooms['findLostMatch']
  resume: Rooms['resume']
  actors: Pick<Actors<RoomConnection>, 'ask' | 'define'>
  modes: Modes
  code: Pick<RoomCode, 'live'>
  /** Throws `too_many_rooms`. */
  requireKeptSeat(environmentId: string, playerId: string): Promise<void>
}

export type Matchmaking = ReturnType<typeof createMatchmaking>

/** Quick matches: one queue per environment, mode and pool. */
export function createMatchmaking(deps: MatchmakingDeps) {
  const { actors, modes, clock } = deps
  const ofQueue: QueueDeps = {
    clock,
    open: deps.openMatch,
    fill: deps.fill,
    report: deps.report,
    hasMode: async (environmentId, modeKey) => (await modes.find(environmentId, modeKey)) !== undefined,
  }
  /** Keeps the order of players when a queue moves to another node. */
  const waits = new WeakMap<RoomConnection, Wait>()

  const here = actors.define<QueueProtocol, Queue, QueueSnapshot>(
    {
      kind: 'queue',
      open: (context, snapshot) => new Queue(context, ofQueue, snapshot),
      handlers: queueHandlers,
    },
    { rejoin, membershipLost },
  )

  /** The queues in which a player waits, on all nodes. */
  const queuesOf = deps.queries.define(
    'queues.ofPlayer',
    ({ environmentId, playerId }: { environmentId: string; playerId: string }): QueueName[] =>
      here(environmentId)
        .filter((queue) => queue.isWaiting(playerId))
        .map(({ name }) => name),
  )

  const enqueue = async (queue: QueueName, wait: Wait) =>
    actors.ask(queue, { type: 'enqueue', ...wait }, 'any')

  /** Undefined: the player cannot return to a match of this mode and pool. */
  async function resume(caller: Caller, { key }: Mode, pool: string | null) {
    const roomId = await deps.findLostMatch(caller, key, pool)
    if (roomId === undefined) return undefined
    try {
      await deps.resume(caller, roomId)
      return { queued: false, roomId }
    } catch (error) {
      // It has expired meanwhile, or the room does not answer: the search goes on.
      if (error instanceof ApiError) return undefined
      throw error
    }
  }

  async function rejoin(connection: RoomConnection, queue: QueueName) {
    const wait = waits.get(connection)
    const identity = connection.identity
    if (!wait || !identity || roomOf(connection)) return
    wait.joiningPlayer.player.displayName = identity.displayName
    await enqueue(queue, wait)
  }

  async function membershipLost(connection: RoomConnection) {
    connection.warn(new ApiError('service_unavailable'), { request: 'quickMatch' })
  }

  return {
    here,
    /** Players in all queues of this node. */
    countWaiting: () => here().reduce((sum, queue) => sum + queue.size, 0),

    async quickMatch(
      caller: Caller,
      fields: FieldsOf<typeof quickMatch>,
    ): Promise<ReplyOf<typeof quickMatch>> {
      const { connection, player } = caller
      if (roomOf(connection)) throw new ApiError('already_in_room')
      if (queueOf(connection)) throw new ApiError('already_queued')
      const mode = await modes.require(player.environmentId, fields.mode)
      const party = partyOf(fields, mode)
      const pool = fields.pool ?? null
      const resumed = await resume(caller, mode, pool)
      if (resumed) return resumed
      if (mode.room && !(await deps.code.live(player.environmentId, mode.room.class)))
        throw new ApiError('mode_unavailable')
      if (mode.room?.keepDays !== undefined) await deps.requireKeptSeat(player.environmentId, player.id)
      const wait: Wait = {
        joiningPlayer: joiningPlayerOf(caller),
        mode,
        enqueuedAtMs: millisecondsOf(clock),
        party,
        wantsProgress: fields.progress ?? false,
      }
      waits.set(connection, wait)
      const enqueued = await enqueue(queueActorName(player.environmentId, mode.key, pool), wait)
      await deps.followRename(caller)
      if (!enqueued.queued || roomOf(connection)) return enqueued
      // A match may have started with the player's lost connection just before.
      return (await resume(caller, mode, pool)) ?? enqueued
    },

    async cancelMatch({ connection }: Caller): Promise<ReplyOf<typeof cancelMatch>> {
      const queue = queueOf(connection)
      if (!queue) return { cancelled: false }
      return { cancelled: (await actors.ask(queue, { type: 'leave', ref: connection.ref })) === true }
    },

    /** Removes the player from all queues, for any connection. */
    async removePlayer(environmentId: string, playerId: string) {
      const queues = (await queuesOf({ environmentId, playerId })).flat()
      for (const queue of queues) await actors.ask(queue, { type: 'removePlayer', playerId })
    },
  }
}

function partyOf({ party, partySize }: FieldsOf<typeof quickMatch>, { maxPlayers }: Mode): Party | null {
  if (party === undefined && partySize === undefined) return null
  if (party === undefined || partySize === undefined)
    throw new ApiError('invalid_request', {
      errors: [{ path: '$', message: 'send both party and partySize, or neither' }],
    })
  if (partySize > maxPlayers) throw new ApiError('party_too_large', { maxPlayers })
  return { id: party, size: partySize }
}
