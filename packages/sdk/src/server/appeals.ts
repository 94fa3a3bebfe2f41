import type * as moderation from '@svc/contract/moderation'

import type { Call } from '../http/http.ts'
import type * as types from './types.ts'

/** Appeals of banned players. */
export type Appeals = ReturnType<typeof createAppeals>

/** Appeals of banned players. */
export const createAppeals = (call: Call) => ({
  /**
   * Lists appeals, newest first.
   *
   * @example
   * const { appeals } = await server.appeals.list({ status: 'open' })
   * const [newest] = appeals
   * console.log(newest?.message) // → It was my little brother.
   */
  list: (query: types.AppealSearch = {}): Promise<types.AppealList> =>
    call<typeof moderation.listAppeals>('GET /v1/admin/appeals', { query }),
  /**
   * Accepts or rejects an appeal. This is final; accepting it lifts the ban.
   *
   * @throws `appeal_already_resolved` Someone has already decided.
   *
   * @example
   * const decision = { accept: true, response: 'Welcome back.' }
   * const { status } = await server.appeals.resolve(appealId, decision)
   * console.log(status) // → accepted
   */
  resolve: async (appealId: string, body: types.AppealDecision): Promise<types.Appeal> =>
    (
      await call<typeof moderation.resolveAppeal>('POST /v1/admin/appeals/:appealId/resolve', {
        params: { appealId },
        body,
      })
    ).appeal,
})
