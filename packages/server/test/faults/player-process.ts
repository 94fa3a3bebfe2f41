import { openSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { openService } from '../../src/service.ts'
import { readSettings } from '../../src/settings.ts'

/**
 * The process that is killed: a whole service, and players who send their next HTTP request as soon as the previous one is
 * answered. Each response is recorded in a file outside the data folder before the player's next request starts.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    answers: { type: 'string', default: '' },
    run: { type: 'string', default: '0' },
    sync: { type: 'string', default: 'group' },
  },
})

type Headers = Record<string, string>
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>

const PLAYERS = 8

/**
 * Every player runs until the process ends. `play` gets the player's id, a function that calls as the player, and a function that
 * records a response.
 */
export async function runPlayers(
  config: object,
  play: (id: string, call: Call, note: (answer: string) => void) => Promise<unknown>,
): Promise<void> {
  const settings = readSettings({
    SVC_DATA_DIR: values.data,
    SVC_SQLITE_SYNC: values.sync,
    LOG_LEVEL: 'silent',
    SVC_RATE_LIMITS: 'off',
  })
  const service = await openService(settings, { passwordWork: { memoryKiB: 8, passes: 1, parallelism: 1 } })
  const origin = await service.http.listen({ host: '127.0.0.1', port: 0 })
  const answers = openSync(values.answers, 'a')
  const note = (answer: string) => void writeSync(answers, `${answer}\n`)

  const key = await newProject(origin, config)
  const players = Array.from({ length: PLAYERS }, async () => {
    type Guest = { accessToken: string; player: { id: string } }
    const guest = await request<Guest>(origin, { 'x-svc-key': key }, 'POST', '/v1/auth/guest', {})
    const headers = { 'x-svc-key': key, authorization: `Bearer ${guest.accessToken}` }
    return { id: guest.player.id, call: request.bind(undefined, origin, headers) as Call }
  })
  const ready = await Promise.all(players)
  console.log('writing')
  await Promise.all(ready.map(({ id, call }) => play(id, call, note)))
}

async function newProject(origin: string, config: object): Promise<string> {
  const account = { email: `run${values.run}@example.com`, password: 'correct horse' }
  const { token } = await request<{ token: string }>(origin, {}, 'POST', '/v1/developers/signup', account)
  const { keys } = await request<{ keys: { environment: string; type: string; key: string }[] }>(
    origin,
    { authorization: `Bearer ${token}` },
    'POST',
    '/v1/projects',
    { name: `Run ${values.run}` },
  )
  const keyOf = (type: string) =>
    keys.find((key) => key.environment === 'production' && key.type === type)?.key ?? ''
  await request(origin, { 'x-svc-key': keyOf('secret') }, 'PUT', '/v1/config', config)
  return keyOf('publishable')
}

async function request<T>(
  origin: string,
  headers: Headers,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
