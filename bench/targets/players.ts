import { newGuest } from './guests.ts'
import type { Request } from './requests.ts'
import { call, newProject } from './service.ts'

export type PlayerRequests = Record<'profile' | 'guest' | 'refresh' | 'logIn', Request[]>

const PLAYERS = 100
const ACCOUNT = { email: 'bench@example.com', password: 'correct horse battery' }

/** Creates guests in production, one more per connection for refreshes, and one player with an email. */
export async function seedPlayers(
  { port }: { port: number },
  connections: number,
  players = PLAYERS,
): Promise<PlayerRequests> {
  const { publishable, secret } = await newProject(port, 'Players')
  const key = { 'X-Svc-Key': publishable }
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features: { emailLogin: true } })
  await call(port, 'POST', '/v1/auth/email/signup', key, ACCOUNT)
  const tokens: string[] = []
  for (let i = 0; i < players; i++) tokens.push(await newGuest(port, publishable))

  const refreshTokens: string[] = []
  for (let i = 0; i < connections; i++) {
    const guest = await call<{ refreshToken: string }>(port, 'POST', '/v1/auth/guest', key, {})
    refreshTokens.push(guest.refreshToken)
  }

  const post = (path: string, body: object): Request[] => [
    { method: 'POST', path, headers: key, body: JSON.stringify(body), status: 200 },
  ]
  return {
    profile: tokens.map((token) => ({
      path: '/v1/players/me',
      headers: { ...key, Authorization: `Bearer ${token}` },
      status: 200,
    })),
    guest: post('/v1/auth/guest', {}),
    refresh: refreshTokens.flatMap((refreshToken) => post('/v1/auth/refresh', { refreshToken })),
    logIn: post('/v1/auth/email/login', ACCOUNT),
  }
}
