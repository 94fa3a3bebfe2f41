import type { RequestOf, ResponseOf } from '@svc/contract/common/endpoint'
import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { messageRoom, openRoom, RoomRecording, RoomStateView } from '@svc/contract/realtime/code-rooms'

import { ApiError } from '../../../platform/api-error.ts'
import type { Environment } from '../../../platform/environment.ts'
import { type AuditChange, changeIn } from '../../../platform/ports/audit.ts'
import { requireBytes, type Rooms } from '../rooms.ts'

type ServerRoomsDeps = {
  rooms: Pick<Rooms, 'openByServer' | 'askCode' | 'endedTurns'>
  /** Runs in a transaction of its own. */
  record(change: AuditChange): Promise<void>
}

export type ServerRooms = ReturnType<typeof createServerRooms>

/** Rooms with code, for the developer and the developer's server. */
export function createServerRooms({ rooms, record }: ServerRoomsDeps) {
  return {
    async open(
      { id }: Environment,
      { mode, options = null, private: isPrivate, code }: RequestOf<typeof openRoom>['body'],
    ): Promise<ResponseOf<typeof openRoom>> {
      const text = JSON.stringify(options)
      requireBytes(text, LIMITS.roomOptionsBytesMax)
      return rooms.openByServer(id, mode, {
        options: text,
        ...(isPrivate !== undefined && { private: isPrivate }),
        ...(code !== undefined && { code }),
      })
    },

    async message(
      { id }: Environment,
      roomId: string,
      { type, data = null }: RequestOf<typeof messageRoom>['body'],
    ): Promise<{ data: unknown }> {
      const text = JSON.stringify(data)
      requireBytes(text, LIMITS.messageDataBytesMax)
      const message = { type: 'serverMessage', messageType: type, data: text } as const
      return { data: JSON.parse(await rooms.askCode(id, roomId, message)) }
    },

    async close(environment: Environment, actor: Actor, roomId: string): Promise<{ deleted: true }> {
      await rooms.askCode(environment.id, roomId, { type: 'closeCode' })
      await record(changeIn(environment, actor, 'room.close', roomId))
      return { deleted: true }
    },

    /** In production, the state is shown only for a reason, which is written first. */
    async state(
      environment: Environment,
      actor: Actor,
      roomId: string,
      reason: string | undefined,
    ): Promise<RoomStateView> {
      const seen = asObject<Seen>(await rooms.askCode(environment.id, roomId, { type: 'inspect' }))
      const { tick, state, own } = seen
      const stateBytes = Buffer.byteLength(JSON.stringify(state))
      if (environment.name !== 'production') return { tick, stateBytes, state, own }
      if (reason === undefined) return { tick, stateBytes, state: null, own: null }
      await record(changeIn(environment, actor, 'room.state_read', roomId, { reason }))
      return { tick, stateBytes, state, own }
    },

    async turns({ id, name }: Environment, roomId: string): Promise<RoomRecording> {
      if (name !== 'development') throw new ApiError('development_only')
      const text = await rooms.askCode(id, roomId, { type: 'readTurns' }).catch((error: unknown) => {
        const ended = rooms.endedTurns(id, roomId)
        if (ended === undefined) throw error
        return ended
      })
      return asObject<RoomRecording>(text)
    },
  }
}

type Seen = { tick: number; state: Record<string, unknown>; own: Record<string, unknown> }

/** What the process of a room has sent is not trusted: it may be anything. */
function asObject<T>(text: string): T {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as T
  } catch {
    // It is not JSON.
  }
  throw new ApiError('room_error')
}
