import type { Actor } from '@svc/contract/common/schemas'
import type { AppealEntry, AppealView, SanctionEntry, SanctionView } from '@svc/contract/moderation'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { BEFORE_FIRST_PAGE, pageOf } from '../../platform/http/row-pages.ts'
import type { Player } from '../../platform/player.ts'
import { changeIn } from '../../platform/ports/audit.ts'
import type { Ids } from '../../platform/random.ts'
import { cleanText } from '../../platform/text/text.ts'
import type { Bans } from './bans.ts'
import type { Audit, Disconnect } from './ports.ts'
import { appealEntry, appealView, isActive, sanctionEntry, sanctionView } from './sanctions.ts'
import type { AppealedRow, AppealRow, BanRow, ModerationStore } from './store.ts'

type AppealDeps = {
  clock: Clock
  ids: Ids
  audit: Audit
  bans: Pick<Bans, 'lift'>
  disconnect: Disconnect
  /** The player of a refresh token, and the ban that revoked it; throws `invalid_refresh_token`. */
  identify(
    environmentId: string,
    refreshToken: string,
  ): Promise<{ playerId: string; sanctionId: string | null }>
  findPlayer(environmentId: string, playerId: string): Promise<{ displayName: string } | undefined>
}

export type Appeals = ReturnType<typeof createAppeals>

/** The maximum per player. */
const SANCTIONS_SHOWN_MAX = 200

/** One appeal per ban: open until it is accepted or rejected, and never changed again (APL-06). */
export function createAppeals(store: ModerationStore, deps: AppealDeps) {
  const { clock, ids, audit, bans, disconnect, identify, findPlayer } = deps

  async function file(environmentId: string, playerId: string, sanctionId: string, input: string) {
    const message = cleanText(input)
    if (message.trim() === '') throw emptyMessage()

    return store.change(environmentId, playerId, async (transaction): Promise<{ appeal: AppealView }> => {
      const moderation = store.in(transaction)
      const ban = await moderation.findBan(environmentId, playerId, sanctionId)
      if (!ban) throw new ApiError('sanction_not_found')
      if (!isActive(ban, timestamp(clock))) throw new ApiError('ban_not_active')

      const appeal: AppealRow = {
        environmentId,
        id: ids('apl'),
        banId: ban.id,
        playerId,
        status: 'open',
        message,
        response: null,
        createdAt: timestamp(clock),
        resolvedAt: null,
      }
      if (!(await moderation.insertAppeal(appeal))) throw new ApiError('appeal_exists')
      return { appeal: appealView(appeal) }
    })
  }

  /** Undefined if the player was deleted in the meantime. */
  async function entry(environmentId: string, appeal: AppealedRow): Promise<AppealEntry | undefined> {
    const player = await findPlayer(environmentId, appeal.playerId)
    return player && appealEntry(appeal, player.displayName, timestamp(clock))
  }

  /** The bans of a player with their appeals, newest first. */
  async function sanctions<View>(
    environmentId: string,
    playerId: string,
    view: (ban: BanRow, appeal: AppealRow | undefined, now: string) => View,
  ): Promise<View[]> {
    const rows = await store.bansOf(environmentId, playerId, SANCTIONS_SHOWN_MAX)
    const appeals = new Map(
      (await store.appealsOf(environmentId, playerId)).map((appeal) => [appeal.banId, appeal]),
    )
    return rows.map((ban) => view(ban, appeals.get(ban.id), timestamp(clock)))
  }

  return {
    async sanctionsOf({ environmentId, id: playerId }: Player): Promise<{ sanctions: SanctionView[] }> {
      return { sanctions: await sanctions(environmentId, playerId, sanctionView) }
    },

    /** For developers. */
    sanctionEntriesOf: (environmentId: string, playerId: string): Promise<SanctionEntry[]> =>
      sanctions(environmentId, playerId, sanctionEntry),

    appeal: ({ environmentId, id }: Player, sanctionId: string, { message }: { message: string }) =>
      file(environmentId, id, sanctionId, message),

    /** A refresh token that a ban revoked identifies the player here, and in no other call (APL-03). */
    async appealWithToken(
      { id: environmentId }: Environment,
      { refreshToken, sanctionId, message }: { refreshToken: string; sanctionId?: string; message: string },
    ) {
      const proven = await identify(environmentId, refreshToken)
      if (proven.sanctionId === null) throw new ApiError('sanction_not_found')
      return file(environmentId, proven.playerId, sanctionId ?? proven.sanctionId, message)
    },

    async list(
      { id: environmentId }: Environment,
      {
        status,
        cursor = BEFORE_FIRST_PAGE,
        limit = 50,
      }: { status?: string; cursor?: string; limit?: number },
    ) {
      const rows = await store.listAppeals({ environmentId, before: cursor, limit: limit + 1 }, status)
      const { shown, nextCursor } = pageOf(rows, limit)
      const entries = await Promise.all(shown.map((appeal) => entry(environmentId, appeal)))
      return { appeals: entries.filter((appeal) => appeal !== undefined), nextCursor }
    },

    countOpen: (environmentId: string) => store.countAppeals(environmentId, 'open'),

    async resolve(
      environment: Environment,
      actor: Actor,
      appealId: string,
      { accept, response: input }: { accept: boolean; response?: string | null },
    ): Promise<{ appeal: AppealEntry }> {
      const { id: environmentId } = environment
      const response = input === undefined || input === null ? null : cleanText(input)
      const appeal = await store.findAppeal(environmentId, appealId)
      if (!appeal) throw new ApiError('appeal_not_found')
      const { playerId, banId } = appeal

      const lifted = await store.change(environmentId, playerId, async (transaction) => {
        const status = accept ? 'accepted' : 'rejected'
        const resolution = { environmentId, id: appealId, status, response, resolvedAt: timestamp(clock) }
        const isFirst = await store.in(transaction).resolveAppeal(resolution)
        if (!isFirst) throw new ApiError('appeal_already_resolved')

        const ban = accept ? await bans.lift(transaction, environmentId, playerId, banId) : undefined
        const details = { playerId, sanctionId: banId, status, lifted: ban !== undefined }
        await audit.record(transaction, changeIn(environment, actor, 'appeal.resolve', appealId, details))
        return ban !== undefined
      })
      if (lifted) await disconnect(environmentId, playerId)

      const resolved = await store.findAppeal(environmentId, appealId)
      const shown = resolved && (await entry(environmentId, resolved))
      if (!shown) throw new ApiError('appeal_not_found')
      return { appeal: shown }
    },
  }
}

const emptyMessage = () => invalidField('$.message', 'must not be empty')
