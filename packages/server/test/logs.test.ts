import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { callerOf, startServer } from './server-process.ts'

test('logs are JSON lines that name every request, and hold nothing that opens a door', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-logs-'))
  const server = await startServer({ SVC_DATA_DIR: folder, LOG_LEVEL: 'trace' })
  const call = callerOf(server)
  const password = 'canary horse battery'
  const { body: session } = await call('POST', '/v1/developers/signup', {
    body: { email: 'canary@example.com', password },
  })
  await call('POST', '/v1/developers/login', {
    body: { email: 'canary@example.com', password: `${password}!` },
  })
  const { body } = await call('POST', '/v1/projects', { token: session.token, body: { name: 'Logs' } })
  const keys: string[] = body.keys.map(({ key }: { key: string }) => key)
  for (const key of keys) await call('GET', '/v1/config', { key })
  server.signal('SIGTERM')
  const { output } = await server.ended
  await rm(folder, { recursive: true, force: true })

  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const routes = lines.map(({ method, route, status }) => `${method} ${route} ${status}`)
  assert.ok(routes.includes('POST /v1/developers/signup 200'))
  assert.ok(routes.includes('GET /v1/config 200') && routes.includes('GET /v1/config 403'))
  for (const secret of [password, session.token, ...keys, 'canary@example.com'])
    assert.ok(!output.includes(secret))
})
