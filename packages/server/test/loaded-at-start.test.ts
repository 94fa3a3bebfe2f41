import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

import { freePort, startServer } from './server-process.ts'

const SOURCE = join(import.meta.dirname, '../src/main.ts')

/** Prints what Node has loaded until the banner, then ends the service. */
const RECORDER = `
import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
const files = []
registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
console.log = () => {
  writeSync(1, files.join('\\n'))
  process.kill(process.pid, 'SIGKILL')
}`

/** It is about 110 on Linux. */
const MEGABYTES_MAX = 150
/** Files that are loaded at their first use. */
const ON_DEMAND = [
  /contract\/src\/openapi\.ts$/,
  /edge\/http\/docs\/api-page\.ts$/,
  /edge\/http\/mcp\/(?!mcp\.ts$)/,
  /common\/agent-tool-list\.ts$/,
  /node_modules\/(?:@modelcontextprotocol|zod)\//,
  /engines\/cards\/takumi-process\.ts$/,
  /engines\/functions\/workerd\/environment\.ts$/,
  /engines\/payments\/stripe\.ts$/,
  /engines\/sfu\/child\//,
  /platform\/tracing\//,
  /app\/tracing\.ts$/,
]

test('[AGT-13] a start loads no part that is not used yet', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-start-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const service = spawn(
    process.execPath,
    ['--conditions=source', '--import', `data:text/javascript,${encodeURIComponent(RECORDER)}`, SOURCE],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PORT: String(await freePort()), SVC_DATA_DIR: dataDir, TURN_PORT: '0', LOG_LEVEL: 'warn' },
    },
  )
  t.after(() => service.kill('SIGKILL'))
  const [loaded, errors] = await Promise.all([
    text(service.stdout),
    text(service.stderr),
    once(service, 'exit'),
  ])
  const files = loaded.split('\n')

  assert.ok(
    files.some((file) => file.endsWith('src/service.ts')),
    errors,
  )
  assert.deepEqual(
    files.filter((file) => ON_DEMAND.some((pattern) => pattern.test(file))),
    [],
  )
})

test('a start from the build needs little memory', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-start-'))
  const { pid, signal, ended } = await startServer({ SVC_DATA_DIR: dataDir })
  t.after(async () => {
    signal('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  })
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  assert.ok(Number(kibibytes) < MEGABYTES_MAX * 1_024, `${kibibytes} KiB`)
})
