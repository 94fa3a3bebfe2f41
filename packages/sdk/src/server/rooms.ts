import type * as contract from '@svc/contract/realtime/code-rooms'

import type { Call } from '../http/http.ts'
import type * as types from './types.ts'

/** Rooms with code: open them, send to their code, close them. */
export type ServerRooms = ReturnType<typeof createServerRooms>

/** Rooms with code: open them, send to their code, close them. */
export const createServerRooms = (call: Call) => ({
  /**
   * Opens a room in a mode with `room`. Players join it by its id or code; it ends if nobody joins within 5 minutes.
   *
   * @param room `options` is any JSON up to 4 KB, for `onCreate`.
   * @throws `mode_unavailable` The class of the mode's `room` is not deployed, or your functions are disabled.
   * @throws `room_failed` `onCreate` threw an error. The log of your functions has it.
   * @throws `code_taken` Another room has this code.
   *
   * @example
   * const options = { map: 'ice' }
   * const { id, code } = await server.rooms.open({ mode: 'arena', options })
   * console.log(`Room ${id} has the code ${code}`)
   */
  open: (room: types.NewServerRoom): Promise<types.OpenedRoom> =>
    call<typeof contract.openRoom>('POST /v1/admin/x/rooms', { body: room }),
  /**
   * Sends a message to `onServerMessage` of the room, and resolves with what it returns.
   *
   * @throws `room_not_found` There is no such room with code.
   * @throws `room_error` `onServerMessage` threw an error. If it was a `Refusal`, `error.details.reason` is its reason.
   *
   * @example
   * const { id } = await server.rooms.open({ mode: 'arena' })
   * const players = await server.rooms.send(id, 'count')
   * console.log(players) // → 0
   */
  send: async (roomId: string, type: string, data?: unknown): Promise<unknown> => {
    const route = 'POST /v1/admin/x/rooms/:roomId/messages'
    const body = { type, ...(data !== undefined && { data }) }
    return (await call<typeof contract.messageRoom>(route, { params: { roomId }, body })).data
  },
  /**
   * Closes a room. Its players receive the event `closed`.
   *
   * @throws `room_not_found` There is no such room with code.
   *
   * @example
   * const { id } = await server.rooms.open({ mode: 'arena' })
   * await server.rooms.close(id)
   */
  close: async (roomId: string): Promise<void> => {
    await call<typeof contract.closeRoom>('DELETE /v1/admin/x/rooms/:roomId', { params: { roomId } })
  },
})
