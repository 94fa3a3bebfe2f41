import { SvcError } from '../http/errors.ts'
import { resolveLocalhostNames } from '../http/localhost.ts'
import type { Platform } from '../http/platform.ts'
import type { Session } from '../session/session.ts'

/** Your own server code. */
export type Functions = {
  /**
   * Calls one of your server functions as the player. It works like `fetch` and adds the player's access token, so an error status is
   * a response too.
   *
   * @param path The path of the function, such as `/daily`.
   * @throws `invalid_options` The page is not hosted by svc: pass `functionsUrl` to `connect`.
   *
   * @example
   * const body = JSON.stringify({ score: 1200 })
   * const response = await svc.functions.fetch('/daily', { method: 'POST', body })
   * if (response.ok) console.log(await response.json())
   */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** `url` is undefined if the page is not hosted and no URL was given. */
export const createFunctions = (
  url: string | undefined,
  platform: Pick<Platform, 'fetch'>,
  session: Pick<Session, 'accessToken' | 'isLive'>,
): Functions => ({
  async fetch(path, init = {}) {
    if (url === undefined)
      throw new SvcError('invalid_options', {
        message: 'pass functionsUrl to connect(): svc functions status shows it',
      })
    resolveLocalhostNames(url)
    const headers = new Headers(init.headers)
    if (session.isLive) headers.set('Authorization', `Bearer ${await session.accessToken()}`)
    return platform.fetch(`${url.replace(/\/$/, '')}/${path.replace(/^\//, '')}`, { ...init, headers })
  },
})
