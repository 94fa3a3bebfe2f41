import type { Operation } from './peers.ts'
import type { Request } from './requests.ts'

const PLAYERS = 100
const ORIGIN = { Origin: 'http://127.0.0.1' }
const ACCOUNT = { email: 'bench@example.com', password: 'correct horse battery' }

/** Creates anonymous users, each with session cookies, and one user with an email. */
export async function seedBetterAuth(
  port: number,
): Promise<Record<Extract<Operation, 'guest' | 'logIn' | 'profile'>, Request[]>> {
  await signIn(port, '/api/auth/sign-up/email', { ...ACCOUNT, name: 'Bench' })
  const profile: Request[] = []
  for (let i = 0; i < PLAYERS; i++) {
    const Cookie = await signIn(port, '/api/auth/sign-in/anonymous', {})
    profile.push({ path: '/api/auth/get-session', headers: { Cookie }, status: 200 })
  }
  return {
    guest: [post('/api/auth/sign-in/anonymous', {})],
    logIn: [post('/api/auth/sign-in/email', ACCOUNT)],
    profile,
  }
}

async function signIn(port: number, path: string, body: object): Promise<string> {
  const headers = { ...ORIGIN, 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

const post = (path: string, body: object): Request => ({
  method: 'POST',
  path,
  headers: ORIGIN,
  body: JSON.stringify(body),
  status: 200,
})
