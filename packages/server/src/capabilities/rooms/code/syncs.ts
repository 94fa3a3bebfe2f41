import { LIMITS } from '@svc/contract/common/limits'

import type { ActorContext } from '../../../platform/actors/actor.ts'
import type { Room } from '../room.ts'
import { BrokenAnswerError, type Effect, parsedObject } from './answers.ts'

type Syncing = {
  room: Room
  context: ActorContext
  /** The last `seq` of each player, kept between the turns. */
  acks: Map<string, number>
  tick: number
  atMs: number
}

/** A patch may delete as much as it adds. */
const PATCH_BYTES_MAX = 3 * LIMITS.roomStateBytesMax
const OWN_BYTES_MAX = 3 * LIMITS.playerStateBytesMax

/**
 * Sends what a turn has changed: one frame for all, and before it one to each player whose own state has changed. Clients show both as one
 * change; a frame for each player with both would be encoded, and sent to other nodes, as often as there are players.
 */
export function sendSyncs(effects: readonly Effect[], syncing: Syncing) {
  const { room, context, tick, atMs } = syncing
  let patch: string | undefined
  let acks: string | undefined
  const own: { playerId: string; patch: string }[] = []
  for (const { kind, target, payload, bytes } of effects) {
    if (kind === 'sync') patch = objectOf(payload, bytes, PATCH_BYTES_MAX)
    if (kind === 'acks') acks = acksOf(payload, syncing)
    if (kind === 'own') own.push({ playerId: String(target), patch: objectOf(payload, bytes, OWN_BYTES_MAX) })
  }
  const head = `{"t":"sync","tick":${tick},"at":${atMs}`
  const isForAll = patch !== undefined || acks !== undefined
  for (const { playerId, patch: ownPatch } of own)
    room.messages.sendTo([playerId], `${head},"own":${ownPatch}${isForAll ? ',"more":true' : ''}}`)
  if (isForAll)
    context.members.sendText(
      `${head}${patch === undefined ? '' : `,"patch":${patch}`}${acks === undefined ? '' : `,"acks":${acks}`}}`,
    )
}

/** Sends nothing: what the turn has changed is in the views that follow. */
export function noteAcks(effects: readonly Effect[], noting: Pick<Syncing, 'room' | 'acks'>) {
  for (const { kind, payload } of effects) if (kind === 'acks') acksOf(payload, noting)
}

/** Not parsed: this is the hot path. */
function objectOf(payload: string, bytes: number, bytesMax: number): string {
  if (bytes > bytesMax || !payload.startsWith('{') || !payload.endsWith('}'))
    throw new BrokenAnswerError('a patch is too large or no object')
  return payload
}

/** In the order of `players`. */
function acksOf(payload: string, { room, acks }: Pick<Syncing, 'room' | 'acks'>): string {
  for (const [playerId, seq] of Object.entries(parsedObject(payload))) {
    if (!Number.isSafeInteger(seq)) throw new BrokenAnswerError('a seq is no number')
    if (room.hasSeat(playerId)) acks.set(playerId, seq as number)
  }
  return `[${[...room.seats].map(({ playerId }) => acks.get(playerId) ?? 'null').join()}]`
}
