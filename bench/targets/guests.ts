import type { Request } from './requests.ts'
import { call } from './service.ts'

/** The tokens of a guest. */
export type Session = { accessToken: string; refreshToken: string }

export const newSession = (port: number, publishable: string) =>
  call<Session>(port, 'POST', '/v1/auth/guest', { 'x-svc-key': publishable }, {})

export const newGuest = async (port: number, publishable: string): Promise<string> =>
  (await newSession(port, publishable)).accessToken

/** Replaces the access tokens of requests: they expire after 15 minutes, and filling ten million rows takes longer. */
export async function renewSessions(
  port: number,
  publishable: string,
  sessions: readonly Session[],
  requests: readonly Request[],
): Promise<void> {
  const renewed = await Promise.all(
    sessions.map(async ({ accessToken, refreshToken }) => {
      const key = { 'x-svc-key': publishable }
      const next = await call<Session>(port, 'POST', '/v1/auth/refresh', key, { refreshToken })
      return [`Bearer ${accessToken}`, `Bearer ${next.accessToken}`] as const
    }),
  )
  const successors = new Map<string, string>(renewed)
  for (const { headers } of requests) {
    const successor = successors.get(headers['Authorization'] ?? '')
    if (successor) headers['Authorization'] = successor
  }
}

/** The environment and the player of a session. */
export function claimsOf({ accessToken }: Session): { aud: string; sub: string } {
  const [, payload = ''] = accessToken.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as { aud: string; sub: string }
}
