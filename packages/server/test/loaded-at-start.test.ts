import assert from 'node:assert/strict'
import { isAscii } from 'node:buffer'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'

import { builtServer, freePort, startServer } from './server-process.ts'

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

/** Prints the parts of Node that were loaded until the banner, then ends the service. */
const NODE_RECORDER = RECORDER.replace('files.join', 'process.moduleLoadList.join')

/** It is about 100 on Linux. */
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
  const { files, errors } = await loadedBy(t, RECORDER, ['--conditions=source', SOURCE])

  assert.ok(
    files.some((file) => file.endsWith('src/service.ts')),
    errors,
  )
  assert.deepEqual(
    files.filter((file) => ON_DEMAND.some((pattern) => pattern.test(file))),
    [],
  )
})

test('a start from the build loads no fetch of Node, and its files are ASCII', async (t) => {
  const { files, errors } = await loadedBy(t, NODE_RECORDER, builtServer())
  assert.ok(files.includes('NativeModule http'), errors)
  assert.deepEqual(
    files.filter((file) => file.includes('undici')),
    [],
  )
  const main = builtServer().at(-1) ?? ''
  for (const name of readdirSync(dirname(main)).filter((file) => file.endsWith('.js')))
    assert.ok(isAscii(readFileSync(join(dirname(main), name))), name)
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

/** What a start has loaded, as the recorder prints it. */
async function loadedBy(t: TestContext, recorder: string, args: string[]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-start-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const service = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(recorder)}`, ...args],
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
  return { files: loaded.split('\n'), errors }
}
