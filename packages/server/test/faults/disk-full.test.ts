import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { comesTrue } from '../../src/testing/in-time.ts'
import { callerOf, freePort, setUpCallerOf, startServer } from '../server-process.ts'
import { type App, createClient, emptyAckLog, newApp, sha256Of, siteOf } from './deployer.ts'

const PROGRAM = join(import.meta.dirname, '../../bin/svc-server.js')
const DISK_BYTES = 64 * 1024 * 1024
const MIB = 1024 * 1024

/** Starts the real program with an active app, and returns helpers for both. */
async function startWithApp(t: TestContext, dataDir: string) {
  const server = await startServer({ SVC_DATA_DIR: dataDir, SVC_RATE_LIMITS: 'off', LOG_LEVEL: 'silent' })
  t.after(async () => {
    server.signal('SIGKILL')
    await server.ended
  })
  const app: App = await newApp(setUpCallerOf(server))
  const client = createClient(server, app, emptyAckLog())
  await client.deploy('first', 2)

  async function requireComplete(mark: string) {
    for (const [path, bytes] of siteOf(mark)) {
      const answer = await client.visit(`/${path}`)
      assert.deepEqual([answer.status, sha256Of(answer.bytes)], [200, sha256Of(bytes)], path)
    }
  }

  return {
    pid: server.pid,
    client,
    requireComplete,
    incoming: () => readdirSync(join(dataDir, 'blobs', '~incoming')),

    async upload(bytes: Buffer) {
      const answer = await fetch(`http://127.0.0.1:${server.port}/v1/blobs/${sha256Of(bytes)}`, {
        method: 'PUT',
        headers: { 'x-svc-key': app.key },
        body: new Uint8Array(bytes),
        signal: AbortSignal.timeout(20_000),
      })
      return { status: answer.status, body: (await answer.json()) as { error?: { code: string } } }
    },
  }
}

const UNAVAILABLE = [503, 'service_unavailable']

test('[HST-04] [HST-05] a full disk during upload and finalize: 503, the active version is still served, no partial files, and uploads work once there is space', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-disk-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'svc-test', dataDir], { stdio: 'pipe' })
  } catch (error) {
    rmSync(dataDir, { recursive: true })
    return t.diagnostic(`NOT SHOWN: nothing can be mounted here (${String(error)})`)
  }
  t.after(() => {
    execFileSync('umount', ['--lazy', dataDir])
    rmSync(dataDir, { recursive: true })
  })
  const { client, upload, requireComplete, incoming } = await startWithApp(t, dataDir)
  const ballast = join(dataDir, 'ballast')
  const free = () => statfsSync(dataDir).bavail * statfsSync(dataDir).bsize
  function fillUpTo(leftBytes: number) {
    try {
      // The program writes at the same time, so the free space may shrink before the write.
      while (free() > leftBytes) writeFileSync(ballast, Buffer.alloc(free() - leftBytes), { flag: 'a' })
    } catch (error) {
      assert.match(String(error), /ENOSPC/)
    }
  }

  // The disk is full in the middle of an upload.
  fillUpTo(2 * MIB)
  const large = Buffer.alloc(8 * MIB, 'large')
  const refused = await upload(large)
  assert.deepEqual([refused.status, refused.body.error?.code], UNAVAILABLE)
  assert.deepEqual(incoming(), [])
  await requireComplete('first')

  // The disk is full between upload and finalize: the database has no space either.
  rmSync(ballast)
  const { version, missing } = await client.create('second')
  await client.uploadAll('second', missing)
  fillUpTo(0)
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) {
    const { error } = await client.ask(
      'POST',
      `/v1/deployments/${version}/finalize`,
      { activate: true },
      [200, 503],
    )
    if (error) assert.equal(error.code, 'service_unavailable')
    statuses.push(error ? 503 : 200)
  }
  t.diagnostic(`finalize on a full disk: ${statuses.join(' ')}`)
  // Fill the space that finalize freed. The upload is large, because tmpfs reports free space that is wrong by some pages per
  // core.
  fillUpTo(0)
  const whileFull = await upload(large)
  assert.deepEqual([whileFull.status, whileFull.body.error?.code], UNAVAILABLE)
  assert.deepEqual(incoming(), [])
  const isSecond = (await client.ask('GET', '/v1/hosting')).live.version === version
  assert.equal(isSecond, statuses.includes(200))
  await requireComplete(isSecond ? 'second' : 'first')

  rmSync(ballast)
  await client.finish(version, { activate: true })
  await requireComplete('second')
  assert.equal((await upload(large)).status, 200)
  await client.deploy('third', 2)
  await requireComplete('third')
})

test('a full disk with the log on it: writes answer 503, the service answers, and works again when there is space', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'svc-test', folder], { stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    return t.diagnostic(`NOT SHOWN: nothing can be mounted here (${String(error)})`)
  }
  const path = join(folder, 'log')
  const log = openSync(path, 'a')
  const port = await freePort()
  const server = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', log, log],
    env: {
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_RATE_LIMITS: 'off',
      LOG_LEVEL: 'trace',
      PORT: String(port),
      TURN_PORT: '0',
      VOICE_PORT: '0',
    },
  })
  const ended = once(server, 'exit')
  t.after(async () => {
    server.kill('SIGKILL')
    await ended
    closeSync(log)
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  const logged = () => readFileSync(path, 'utf8')
  await comesTrue('the service is ready', () => logged().includes('ready in'))
  const call = callerOf({ port })
  const signUp = (name: string) =>
    call('POST', '/v1/developers/signup', {
      body: { email: `${name}@example.com`, password: 'correct horse' },
    })
  assert.equal((await signUp('before')).status, 200)

  const ballast = join(folder, 'ballast')
  const fill = () => {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(MIB), { flag: 'a' })
    } catch (error) {
      assert.match(String(error), /ENOSPC/)
    }
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(512), { flag: 'a' })
    } catch (error) {
      assert.match(String(error), /ENOSPC/)
    }
  }
  fill()
  const refused: number[] = []
  for (let number = 0; refused.length < 20; number++) {
    fill()
    const { status, body } = await signUp(`full${number}`)
    if (status === 200) continue
    assert.deepEqual([status, body.error.code], UNAVAILABLE)
    assert.equal((await call('GET', '/healthz')).status, 200)
    refused.push(number)
  }
  rmSync(ballast)
  await comesTrue('writes are possible again', async () => (await signUp('after')).status === 200)
  assert.equal((await call('GET', '/readyz')).status, 200)
  // All lines had space in memory.
  await comesTrue('the log is written again', () => {
    const answers = logged().match(/"route":"\/v1\/developers\/signup","status":503/g) ?? []
    return answers.length >= refused.length
  })
  assert.match(
    await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    /^svc_log_lines_lost_total 0$/m,
  )
  server.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('[HST-04] an upload above the file size limit of the system answers 503 and leaves no partial file', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-file-limit-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const { pid, client, upload, requireComplete, incoming } = await startWithApp(t, dataDir)
  const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
  const large = Buffer.alloc(8 * MIB, 'large')

  limit(String(6 * MIB))
  const refused = await upload(large)
  assert.deepEqual([refused.status, refused.body.error?.code], UNAVAILABLE)
  assert.deepEqual(incoming(), [])
  await requireComplete('first')
  await client.deploy('second', 2)
  await requireComplete('second')

  limit('unlimited')
  assert.equal((await upload(large)).status, 200)
})
