import type { RequestOf } from '@svc/contract/common/endpoint'
import type { SessionView, signInAsGuest } from '@svc/contract/players'
import type { logOutPlayer, refreshSession } from '@svc/contract/sessions'

import { isSvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { pause, randomText } from '../http/platform.ts'

/** What the host adds: the nonce of its cookie, and whether the browser has sent that cookie. */
export type HostSession = SessionView & { nonce?: string; isKept?: boolean }
/** A refresh token, and the nonce of its next use. */
export type Tokens = { refreshToken?: string | undefined; nonce?: string | undefined }

const REFRESH_ATTEMPTS_MAX = 3

/** The calls that open, refresh and end a session. `isKept`: those of `/.svc/session`, because the host keeps the session. */
export function createSessionCalls(call: Call, isKept: boolean | undefined) {
  let isInCookie = false

  async function callHost<E extends typeof refreshSession | typeof logOutPlayer>(
    method: 'POST' | 'PUT' | 'DELETE',
    body: object,
    otherwise?: E['route'],
  ): Promise<HostSession> {
    const route = (isKept ? `${method} /.svc/session` : otherwise) as E['route']
    const answer = (await call<E>(route, { body } as RequestOf<E>)) as HostSession
    isInCookie = answer.isKept === true
    return answer
  }

  return {
    /** Whether the browser has sent the cookie of the host. */
    get isInCookie(): boolean {
      return isInCookie
    },

    newGuest: (displayName: string | undefined) =>
      call<typeof signInAsGuest>(
        'POST /v1/auth/guest',
        { body: displayName ? { displayName } : {} },
        { idempotencyKey: randomText() },
      ),

    /** Without a token the host uses that of its cookie, and answers `{}` if it has none. Repeats the call while `isUnchanged`. */
    async refresh(tokens: Tokens, isUnchanged: () => boolean): Promise<HostSession> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await callHost<typeof refreshSession>('POST', tokens, 'POST /v1/auth/refresh')
        } catch (error) {
          if (!isSvcError(error, 'network_error') || attempt === REFRESH_ATTEMPTS_MAX) throw error
          await pause(200 * attempt)
          // This page may have slept since the attempt, and another tab may have used the successor of this token.
          if (!isUnchanged()) throw error
        }
      }
    },

    /** Gives the host its copy. */
    keep: (tokens: Tokens) => callHost('PUT', tokens),

    /** Without a network the session ends only here. Without a token the host ends that of its cookie. */
    end: (refreshToken?: string) =>
      callHost<typeof logOutPlayer>('DELETE', { refreshToken }, 'POST /v1/auth/logout').catch(() => {}),
  }
}
