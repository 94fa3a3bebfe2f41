import { openSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { openService } from '../../src/service.ts'
import { readSettings } from '../../src/settings.ts'

/**
 * The process that is killed: a whole service, and players who save over HTTP as fast as they are answered. Each answer is noted in a
 * file that lies elsewhere, and only then does that player's next request begin.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    answers: { type: 'string', default: '' },
    run: { type: 'string', default: '0' },
    players: { type: 'string', default: '8' },
  },
})

const SLOTS = 3
const settings = readSettings({ SVC_DATA_DIR: values.data, LOG_LEVEL: 'silent', SVC_RATE_LIMITS: 'off' })
const service = await openService(settings, { passwordWork: { memoryKiB: 8, passes: 1, parallelism: 1 } })
const origin = await service.http.listen({ host: '127.0.0.1', port: 0 })
const answers = openSync(values.answers, 'a')

type Headers = Record<string, string>

async function call<T>(method: string, path: string, headers: Headers, body?: object): Promise<T> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

async function newProject() {
  const account = { email: `run${values.run}@example.com`, password: 'correct horse' }
  const { token } = await call<{ token: string }>('POST', '/v1/developers/signup', {}, account)
  const { keys } = await call<{ keys: { environment: string; type: string; key: string }[] }>(
    'POST',
    '/v1/projects',
    { authorization: `Bearer ${token}` },
    { name: `Run ${values.run}` },
  )
  const keyOf = (type: string) =>
    keys.find((key) => key.environment === 'production' && key.type === type)?.key ?? ''
  await call('PUT', '/v1/config', { 'x-svc-key': keyOf('secret') }, { features: { saves: true } })
  return keyOf('publishable')
}

async function play(key: string) {
  const guest = await call<{ accessToken: string; player: { id: string } }>(
    'POST',
    '/v1/auth/guest',
    { 'x-svc-key': key },
    {},
  )
  const headers = { 'x-svc-key': key, authorization: `Bearer ${guest.accessToken}` }
  const note = (slot: string, version: number, data: string) =>
    writeSync(answers, `${guest.player.id} ${slot} ${version} ${data}\n`)

  const versions = new Map<string, number>()
  for (let count = 1; ; count++) {
    const slot = `slot${count % SLOTS}`
    const path = `/v1/saves/${slot}`
    const known = versions.get(slot)
    if (known !== undefined && count % 10 === 0) {
      // Said before: a deletion whose answer never came may have happened, and leaves the version as it was.
      note(slot, known, 'deleted?')
      await call('DELETE', path, headers)
      versions.delete(slot)
      note(slot, known, 'deleted')
      continue
    }
    const data = { count, padding: 'x'.repeat(count % 700) }
    const { version } = await call<{ version: number }>('PUT', path, headers, { data, ifVersion: known ?? 0 })
    versions.set(slot, version)
    note(slot, version, JSON.stringify(data))
  }
}

const key = await newProject()
console.log('writing')
await Promise.all(Array.from({ length: Number(values.players) }, () => play(key)))
