import type { Session } from '../session/session.ts'
import { isSvcError } from './errors.ts'
import type { Call } from './http.ts'

/** Calls as the player; an expired token is refreshed, and the call repeated once (SES-14). */
export const playerCall =
  (call: Call, session: Pick<Session, 'accessToken' | 'refreshed' | 'noteBan'>): Call =>
  async (route, request, options) => {
    const as = (token: string) =>
      call(route, request, { ...options, headers: { Authorization: `Bearer ${token}` } })
    const token = await session.accessToken()
    try {
      return await as(token)
    } catch (error) {
      if (isSvcError(error)) session.noteBan(error)
      if (!isSvcError(error, 'token_expired', 'invalid_token')) throw error
      return as(await session.refreshed(token))
    }
  }
