import { LIMITS } from '@svc/contract/common/limits'
import type { CloseReason } from '@svc/contract/realtime/rooms'

import { ApiError } from '../../../platform/api-error.ts'
import type { CodeSnapshot, RoomInfo } from '../room-protocol.ts'

/** A player, as the code of a room gets it. */
export type CodePlayer = { id: string; displayName: string | null; connected: boolean }

/** The first event of a room in a process. Without a snapshot it is a new room. */
export function openingEvent(code: CodeSnapshot, room: RoomInfo, players: readonly CodePlayer[]): string {
  const { className, options, seed, snapshot } = code
  const start = `${JSON.stringify(className)},${options},${infoText(code, room)}`
  if (snapshot === null) return `["open",${start},${JSON.stringify(seed)}]`
  return `["restore",${start},${snapshot},${JSON.stringify(players)}]`
}

function infoText({ tickRate }: CodeSnapshot, room: RoomInfo): string {
  const { id, code, mode, maxPlayers, private: isPrivate, metadata, createdAt } = room
  const known = { id, code, mode, maxPlayers, private: isPrivate, createdAt, tickRate }
  return `${JSON.stringify(known).slice(0, -1)},"metadata":${metadata}}`
}

/** What a recording starts from: a snapshot, which is an object, and the rest of the event `restore`. */
export function startText(
  snapshot: string,
  code: CodeSnapshot,
  room: RoomInfo,
  players: readonly CodePlayer[],
): string {
  const info = infoText(code, room)
  return `${snapshot.slice(0, -1)},"options":${code.options},"info":${info},"players":${JSON.stringify(players)}}`
}

export const isTickRate = (rate: unknown): rate is number =>
  Number.isInteger(rate) && Number(rate) >= 0 && Number(rate) <= LIMITS.roomTicksPerSecondMax

/** Worth another try: processes are at their limit, or the database cannot be reached. */
export const isTemporary = (error: unknown) =>
  !(error instanceof ApiError) ||
  ['room_busy', 'room_failed', 'functions_unavailable', 'service_unavailable'].includes(error.code)

export const isGone = (error: unknown) => error instanceof ApiError && error.code === 'deployment_not_found'

export function reasonOf(error: unknown, isMoving: boolean): CloseReason {
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'functions_suspended') return 'suspended'
  if (code === 'functions_disabled' || code === 'not_found') return 'closed'
  return isMoving || code === 'deployment_not_found' ? 'updated' : 'failed'
}

/** Why a room cannot be opened, in the words of the frames that open one. */
export function openErrorOf(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code === 'room_busy' || error.code === 'room_failed') return error
  return new ApiError(error.code === 'functions_unavailable' ? 'room_failed' : 'mode_unavailable')
}
