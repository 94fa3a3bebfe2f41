import type { LeaveReason } from '@svc/contract/realtime/rooms'

import type { MessageOf } from '../../../platform/actors/actor.ts'
import type { Actors } from '../../../platform/actors/actors.ts'
import type { Queries } from '../../../platform/actors/queries.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { MINUTE_MS } from '../../../platform/clock.ts'
import type { Modes } from '../modes.ts'
import { roomActorName, type RoomProtocol } from '../room-protocol.ts'
import type { KeptRooms } from './kept-rooms.ts'

type KeptOpeningDeps = {
  ask: Actors['ask']
  kept: KeptRooms
  modes: Pick<Modes, 'keepsRooms'>
  queries: Queries
  /** The ids of the rooms on this node that are kept, and of those that are being opened. */
  keptHere(environmentId: string): string[]
  report(error: unknown): void
}

type PlayerInRooms = { environmentId: string; playerId: string; reason: LeaveReason }

const BATCH = 100
/** If the room could not be opened, or is lost before it has stored what its code did, it is opened again after this time. */
const OPEN_AGAIN_MS = 5 * MINUTE_MS

/**
 * Opens rooms that are stored. The node that gets the name of the room in the cluster reads it, so a room has one owner. Environments whose
 * config has no `keepDays` are not looked up.
 */
export function createKeptOpening({ ask, kept, modes, queries, keptHere, report }: KeptOpeningDeps) {
  const mayBeKept = async (environmentId: string, roomId: string) =>
    (await modes.keepsRooms(environmentId)) && (await kept.isKept(environmentId, roomId))

  /** False if it is not stored any more. Throws `mode_unavailable`. */
  const open = async (environmentId: string, roomId: string) =>
    ask(roomActorName(environmentId, roomId), { type: 'openKept' }, 'any')

  const removeFromOpen = queries.define(
    'rooms.removeFromKept',
    async ({ environmentId, playerId, reason }: PlayerInRooms): Promise<number> => {
      const message = { type: 'removePlayer', playerId, reason } as const
      const ids = keptHere(environmentId)
      for (const id of ids) await ask(roomActorName(environmentId, id), message)
      return ids.length
    },
  )

  return {
    /** Asks a room, and opens it if it is stored. Undefined: there is no such room. */
    async ask<Type extends keyof RoomProtocol>(
      environmentId: string,
      roomId: string,
      message: MessageOf<RoomProtocol, Type>,
    ): Promise<RoomProtocol[Type]['answer'] | undefined> {
      const name = roomActorName(environmentId, roomId)
      const answer = await ask(name, message)
      if (answer !== undefined || !(await mayBeKept(environmentId, roomId))) return answer
      return (await open(environmentId, roomId)) ? ask(name, message) : undefined
    },

    idByCode: async (environmentId: string, code: string): Promise<string | undefined> =>
      (await modes.keepsRooms(environmentId)) ? kept.idByCode(environmentId, code) : undefined,

    /** Returns whether there was such a room. */
    close: async (environmentId: string, roomId: string): Promise<boolean> =>
      (await kept.isKept(environmentId, roomId)) &&
      ask(roomActorName(environmentId, roomId), { type: 'dropKept', isExpired: false }, 'any'),

    /** The state of a stored room as the JSON text that `inspect` answers; its code does not run. */
    async inspect(environmentId: string, roomId: string): Promise<string | undefined> {
      const snapshot = await kept.read({ environmentId, id: roomId })
      if (!snapshot?.code) return undefined
      const { tick, snapshot: text } = snapshot.code
      const { state = {}, own = {} } =
        text === null ? {} : (JSON.parse(text) as { state?: object; own?: object })
      return JSON.stringify({ tick, state, own })
    },

    /** Frees all seats of a player. */
    async removePlayer(environmentId: string, playerId: string, reason: LeaveReason) {
      if (!(await modes.keepsRooms(environmentId))) return
      await kept.forget(environmentId, playerId)
      await removeFromOpen({ environmentId, playerId, reason })
    },

    /** Opens the rooms whose code runs by itself now. */
    async openDue(stopping: AbortSignal) {
      for (let due = await kept.due(BATCH); due.length > 0; due = await kept.due(BATCH))
        for (const { environmentId, id, wakeAt } of due) {
          stopping.throwIfAborted()
          if (wakeAt === null || !(await kept.postpone({ environmentId, id }, wakeAt, OPEN_AGAIN_MS)))
            continue
          await open(environmentId, id).catch((error: unknown) => {
            if (!(error instanceof ApiError)) report(error)
          })
        }
    },

    /** Deletes the rooms that nobody has opened for too long. An open room stays, and is saved. */
    async removeExpired(stopping: AbortSignal) {
      for (let all = await kept.expired(BATCH); all.length > 0; all = await kept.expired(BATCH)) {
        let removed = 0
        for (const { environmentId, id } of all) {
          stopping.throwIfAborted()
          const dropped = await ask(
            roomActorName(environmentId, id),
            { type: 'dropKept', isExpired: true },
            'any',
          )
          if (dropped) removed++
        }
        if (removed === 0) return
      }
    },
  }
}
