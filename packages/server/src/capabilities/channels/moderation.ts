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
  allowsDuration?: true
  /** Puts a member out of the channel; `uninvite` only where one must be invited to be in it. */
  closeReason?: Extract<ChannelClosedReason, 'kicked' | 'banned' | 'uninvited'>
  /** The player is told by `channel_self` (CHN-14). */
  notifiesPlayer?: true
}

/** CHN-13 … CHN-15 */
export const OPERATIONS: Record<Moderation['op'], Operation> = {
  invite: { list: 'allow', change: 'add' },
  uninvite: { list: 'allow', change: 'remove', closeReason: 'uninvited' },
  allowSend: { list: 'speakers', change: 'add', notifiesPlayer: true },
  disallowSend: { list: 'speakers', change: 'remove', notifiesPlayer: true },
  mute: { list: 'muted', change: 'add', allowsDuration: true, notifiesPlayer: true },
  unmute: { list: 'muted', change: 'remove', notifiesPlayer: true },
  kick: { closeReason: 'kicked' },
  ban: { list: 'banned', change: 'add', allowsDuration: true, closeReason: 'banned' },
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
  const { list, change, allowsDuration: allowsDuration } = OPERATIONS[op]
  if (seconds !== undefined && !allowsDuration) throw invalidField('$.seconds', 'is only for mute and ban')
  if (!list || !change) return undefined
  if (change === 'remove') return { list, playerId, change }
  return { list, playerId, change, until: seconds === undefined ? null : secondsLater(seconds) }
}

/** What has run out makes room before anybody is refused. */
export function requireListCapacity(lists: Lists, change: ListChange, now: string) {
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
