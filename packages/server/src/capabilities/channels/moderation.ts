import type { ChannelClosedReason, Moderation } from '@svc/contract/channels'
import { LIMITS } from '@svc/contract/limits'

import { invalidField } from '../../platform/api-error.ts'

export type ListName = 'allow' | 'speakers' | 'muted' | 'banned'

/** Whom a channel knows by name: player id → until when, null without an end. */
export type Lists = Record<ListName, Map<string, string | null>>

export type ListChange = { list: ListName; playerId: string } & (
  | { change: 'add'; until: string | null }
  | { change: 'remove' }
)

type Operation = {
  list?: ListName
  change?: 'add' | 'remove'
  /** May have an end. */
  isTimed?: true
  /** Puts a member out of the channel; `uninvite` only where one must be invited to be in it. */
  putsOut?: Extract<ChannelClosedReason, 'kicked' | 'banned' | 'uninvited'>
  /** The player is told by `channel_self` (CHN-14). */
  isTold?: true
}

/** CHN-13 … CHN-15 */
export const OPERATIONS: Record<Moderation['op'], Operation> = {
  invite: { list: 'allow', change: 'add' },
  uninvite: { list: 'allow', change: 'remove', putsOut: 'uninvited' },
  allowSend: { list: 'speakers', change: 'add', isTold: true },
  disallowSend: { list: 'speakers', change: 'remove', isTold: true },
  mute: { list: 'muted', change: 'add', isTimed: true, isTold: true },
  unmute: { list: 'muted', change: 'remove', isTold: true },
  kick: { putsOut: 'kicked' },
  ban: { list: 'banned', change: 'add', isTimed: true, putsOut: 'banned' },
  unban: { list: 'banned', change: 'remove' },
}

export const emptyLists = (): Lists => ({
  allow: new Map(),
  speakers: new Map(),
  muted: new Map(),
  banned: new Map(),
})

/** What an operation does to the lists, if anything. `secondsLater` tells a time from now. */
export function listChangeOf(
  { op, playerId, seconds }: Moderation,
  secondsLater: (seconds: number) => string,
): ListChange | undefined {
  const { list, change, isTimed } = OPERATIONS[op]
  if (seconds !== undefined && !isTimed) throw invalidField('$.seconds', 'is only for mute and ban')
  if (!list || !change) return undefined
  if (change === 'remove') return { list, playerId, change }
  return { list, playerId, change, until: seconds === undefined ? null : secondsLater(seconds) }
}

/** What has run out makes room before anybody is refused. */
export function requireRoomFor(lists: Lists, change: ListChange, now: string) {
  const list = lists[change.list]
  if (change.change === 'remove' || list.has(change.playerId)) return
  for (const [playerId, until] of list) if (until !== null && until <= now) list.delete(playerId)
  if (list.size >= LIMITS.channelListMax)
    throw invalidField('$.playerId', `would be one more than the ${LIMITS.channelListMax} this list may hold`)
}

export function applyTo(lists: Lists, change: ListChange) {
  if (change.change === 'add') lists[change.list].set(change.playerId, change.until)
  else lists[change.list].delete(change.playerId)
}

/** The end of a time is no longer part of it. */
export function isListed(list: ReadonlyMap<string, string | null>, playerId: string, now: string): boolean {
  const until = list.get(playerId)
  return until !== undefined && (until === null || now < until)
}
