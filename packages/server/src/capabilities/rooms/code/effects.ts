import { LIMITS } from '@svc/contract/common/limits'

import type { ActorContext } from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import type { Room } from '../room.ts'
import { BrokenAnswerError, type Effect, isObject, parsed, parsedObject } from './answers.ts'
import { type CodeAsks, handlerError, unknownType } from './asks.ts'

/** What the effects of the code act on. */
export type Affected = {
  room: Room
  asks: CodeAsks
  context: ActorContext
  viewed(playerId: string, shown: { state: object; own: object }): void
  refused(playerId: string, refusal: ApiError): void
  threw(): void
  /** The room has ended. */
  isOver(): boolean
}

const VIEW_BYTES_MAX = LIMITS.roomStateBytesMax + LIMITS.playerStateBytesMax + 1024

/**
 * Does what the code of a room has asked for, in its order, besides its states. The end comes last, so that a handler that ends the room is
 * answered. Throws BrokenAnswerError.
 */
export function applyEffects(effects: readonly Effect[], affected: Affected, atMs: number) {
  let [messages, bytes] = [0, 0]
  for (const effect of effects) {
    if (effect.kind === 'msg') messages++
    if (effect.kind === 'msg' || effect.kind === 'reply') bytes += effect.bytes
    if (messages > LIMITS.roomTurnMessagesMax || bytes > LIMITS.roomTurnBytesMax + VIEW_BYTES_MAX * 2)
      throw new BrokenAnswerError('a turn has sent too much')
    if (effect.kind !== 'end') applyOne(effect, affected, atMs)
    if (affected.isOver()) return
  }
  const end = effects.find(({ kind }) => kind === 'end')
  if (end) applyOne(end, affected, atMs)
}

function applyOne({ kind, target, payload, bytes }: Effect, affected: Affected, atMs: number) {
  const { room, asks } = affected
  switch (kind) {
    case 'joined':
    case 'view':
      return affected.viewed(playerOf(target), shownIn(payload, bytes))
    case 'refused':
      return affected.refused(playerOf(target), refusalOf(payload))
    case 'msg':
      return sendMessage(affected, target, payload, atMs)
    case 'reply':
      return asks.replied(target, payload)
    case 'error':
      return asks.refused(target, payload)
    case 'unknown':
      return room.messages.sendTo([playerOf(target)], warning(unknownType()))
    case 'warn':
      return room.messages.sendTo([playerOf(target)], warning(handlerError(payload)))
    case 'end':
      return end(room, payload)
    case 'kick':
      return void room.removePlayer(playerOf(target), 'kicked')
    case 'lock':
      return void room.setLocked(parsed(payload) === true)
    case 'meta':
      return setMetadata(affected, payload, bytes)
    case 'threw':
      return affected.threw()
    // Of the turn as a whole.
    case 'opened':
    case 'failed':
    case 'sync':
    case 'own':
    case 'acks':
    case 'snap':
    case 'wake':
      return undefined
  }
}

function shownIn(payload: string, bytes: number): { state: object; own: object } {
  const { state, own = {} } = parsedObject(payload)
  if (bytes > VIEW_BYTES_MAX || !isObject(state) || !isObject(own))
    throw new BrokenAnswerError('a state is too large or no object')
  return { state, own }
}

/** The payload is `{"type":…,"data":…}`. */
function sendMessage({ room, context }: Affected, target: Effect['target'], payload: string, atMs: number) {
  if (!payload.startsWith('{"type":') || !payload.endsWith('}'))
    throw new BrokenAnswerError('a message has no type')
  const text = `{"t":"message","from":"room",${payload.slice(1, -1)},"at":${atMs}}`
  if (target === '*') context.members.sendText(text)
  else if (Array.isArray(target)) room.messages.sendTo(target as readonly string[], text)
  else throw new BrokenAnswerError('a message has no receivers')
}

const warning = (refusal: ApiError) => JSON.stringify({ t: 'warn', ...refusal.body.error, request: 'send' })

function end(room: Room, payload: string) {
  const result = payload === '' ? undefined : payload
  if (result !== undefined) parsed(result)
  room.close('finished', result)
}

function setMetadata({ room, context }: Affected, payload: string, bytes: number) {
  if (bytes > LIMITS.roomMetadataBytesMax) throw new BrokenAnswerError('the metadata are too large')
  parsed(payload)
  room.info.metadata = payload
  context.changed()
}

function playerOf(target: Effect['target']): string {
  if (typeof target !== 'string') throw new BrokenAnswerError('a target is no player')
  return target
}

/** A player who was refused by an error of the code learns no reason. */
function refusalOf(payload: string): ApiError {
  const { reason, error } = parsedObject(payload)
  if (error === true) return new ApiError('room_error')
  return new ApiError('join_refused', typeof reason === 'string' ? { reason } : undefined)
}
