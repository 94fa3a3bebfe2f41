import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'

import { callerOf, freePort, startServer } from './server-process.ts'

/** Makes one sign-up on a server that is started as a child of `program`; returns its output. */
async function printedBy(program: string, args: string[], variables: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-logs-'))
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    SVC_DATA_DIR: folder,
    PORT: String(port),
    TURN_PORT: '0',
    ...variables,
  }
  const server = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let printed = ''
  server.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const until = async (text: string) => {
    while (!printed.includes(text)) await once(server.stdout, 'data', { signal: AbortSignal.timeout(20_000) })
  }
  await until('Mail')
  await callerOf({ port })('POST', '/v1/developers/signup', {
    body: { email: 'canary@example.com', password: 'canary horse battery' },
  })
  await until('/v1/developers/signup')
  server.kill('SIGTERM')
  await once(server, 'exit')
  await rm(folder, { recursive: true, force: true })
  return stripVTControlCharacters(printed)
}

const PROGRAM = join(import.meta.dirname, '../bin/svc-server.js')
const REQUEST = /^\d\d:\d\d:\d\d POST \/v1\/developers\/signup 200 \d+ ms\r?$/m

test('in a terminal each request is logged as one readable line after the banner', async () => {
  const line = `"${process.execPath}" "${PROGRAM}"`
  const printed = await printedBy('script', ['-qfec', `exec ${line}`, '/dev/null'], { TERM: 'xterm' })
  assert.match(printed, REQUEST)
  assert.doesNotMatch(printed, /canary|\{"level"/)
})

test('LOG_FORMAT=pretty gives the same lines without a terminal', async () => {
  const printed = await printedBy(process.execPath, [PROGRAM], { LOG_FORMAT: 'pretty' })
  assert.match(printed, REQUEST)
  assert.match(printed, /^\S{8} stopping {2}signal: SIGTERM$/m)
})

test('logs are JSON lines with a request id and contain no credentials', async () => {
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
