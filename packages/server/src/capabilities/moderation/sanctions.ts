import type { Actor } from '@svc/contract/common/schemas'
import type { AppealEntry, AppealView, SanctionEntry, SanctionView } from '@svc/contract/moderation'

import type { AppealedRow, AppealRow, BanRow } from './store.ts'

/** When a ban ended: it was lifted, or it expired (BAN-11). Null while it is active. */
export function endOf(
  { expiresAt, endedAt }: Pick<BanRow, 'expiresAt' | 'endedAt'>,
  now: string,
): string | null {
  if (endedAt !== null) return endedAt
  return expiresAt !== null && expiresAt <= now ? expiresAt : null
}

export const isActive = (ban: Pick<BanRow, 'expiresAt' | 'endedAt'>, now: string): boolean =>
  endOf(ban, now) === null

/** For its player: reason and end, never who set it (BAN-15). */
export const sanctionView = (ban: BanRow, appeal: AppealRow | undefined, now: string): SanctionView => ({
  id: ban.id,
  kind: 'ban',
  active: isActive(ban, now),
  note: ban.reason,
  createdAt: ban.createdAt,
  expiresAt: ban.expiresAt,
  endedAt: endOf(ban, now),
  ...(appeal && { appeal: appealView(appeal) }),
})

/** For developers: includes who set it. */
export const sanctionEntry = (ban: BanRow, appeal: AppealRow | undefined, now: string): SanctionEntry => ({
  ...sanctionView(ban, appeal, now),
  by: ban.bannedBy === null ? null : (JSON.parse(ban.bannedBy) as Actor),
})

export const appealView = (
  appeal: Pick<AppealRow, 'id' | 'status' | 'message' | 'response' | 'createdAt' | 'resolvedAt'>,
): AppealView => ({
  id: appeal.id,
  status: appeal.status as AppealView['status'],
  message: appeal.message,
  response: appeal.response,
  createdAt: appeal.createdAt,
  resolvedAt: appeal.resolvedAt,
})

/** For developers (APL-04). */
export const appealEntry = (appeal: AppealedRow, displayName: string, now: string): AppealEntry => ({
  ...appealView(appeal),
  player: { id: appeal.playerId, displayName },
  sanction: {
    id: appeal.banId,
    active: isActive(appeal, now),
    note: appeal.reason,
    createdAt: appeal.bannedAt,
    expiresAt: appeal.expiresAt,
  },
})
