import { LIMITS } from '@svc/contract/common/limits'
import type { ChannelClosedReason, Moderation } from '@svc/contract/realtime/channels'

import { invalidField } from '../../platform/api-error.ts'

export type ListName = 'allow' | 'speakers' | 'muted' | 'banned'

/** Lists of a channel: player id → expiry, null for none. */
export type Lists = Record<ListName, Map<string, string | null>>

export type ListChange = { list: ListName; playerId: string } & (
  | { change: 'add'; until: string | null }
  | { change: 'remove' }
)

type Operation = {
  list?: ListName
  change?: 'add' | 'remove'
  /** Whether it may have a duration. */
  allowsDuration?: true
  /** Removes the member from the channel; `uninvite` only in channels for invited players. */
  closeReason?: Extract<ChannelClosedReason, 'kicked' | 'banned' | 'uninvited'>
  /** Sends `channel_self` to the player (CHN-14). */
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

/** The change that an operation makes to the lists, if any. `secondsLater` computes an expiry. */
export function listChangeOf(
  { op, playerId, seconds }: Moderation,
  secondsLater: (seconds: number) => string,
): ListChange | undefined {
  const { list, change, allowsDuration } = OPERATIONS[op]
  if (seconds !== undefined && !allowsDuration) throw invalidField('$.seconds', 'is only for mute and ban')
  if (!list || !change) return undefined
  if (change === 'remove') return { list, playerId, change }
  return { list, playerId, change, until: seconds === undefined ? null : secondsLater(seconds) }
}

/** Removes expired entries before it rejects a new one. */
export function requireListCapacity(lists: Lists, change: ListChange, now: string) {
  const list = lists[change.list]
  if (change.change === 'remove' || list.has(change.playerId)) return
  for (const [playerId, until] of list) if (until !== null && until <= now) list.delete(playerId)
  if (list.size >= LIMITS.channelListMax)
    throw invalidField(
      '$.playerId',
      `would exceed the ${LIMITS.channelListMax} entries that this list may have`,
    )
}

export function applyTo(lists: Lists, change: ListChange) {
  if (change.change === 'add') lists[change.list].set(change.playerId, change.until)
  else lists[change.list].delete(change.playerId)
}

/** Expired at exactly `until`. */
export function isListed(list: ReadonlyMap<string, string | null>, playerId: string, now: string): boolean {
  const until = list.get(playerId)
  return until !== undefined && (until === null || now < until)
}
