import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

import { createClient } from '@redis/client'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { newPostgresDatabase } from '../../src/testing/databases.ts'
import { deploymentOf } from '../../src/testing/deployed-functions.ts'
import { startRedis } from '../../src/testing/redis.ts'
import { callerOf, freePort, type ServerProcess, startServer } from '../server-process.ts'
import { newApp } from './deployer.ts'

const LOOK_MS = 25
const ANSWER_TIMEOUT_MS = 30_000

/** Stores numbers, and has a WebSocket that answers. */
const CODE = (version: string) => `
let isStarted = false
export default { async fetch(request, { DB }) {
  if (!isStarted) console.log('started')
  isStarted = true
  const { pathname, searchParams } = new URL(request.url)
  switch (pathname) {
    case '/add': await DB.prepare('INSERT INTO numbers VALUES (?)').bind(Number(searchParams.get('i'))).run(); return new Response('added')
    case '/all': return Response.json((await DB.prepare('SELECT i FROM numbers').all()).results.map(({ i }) => i))
    case '/echo': return new Response(request.body, { headers: { 'x-length': request.headers.get('content-length') } })
    case '/socket': {
      const { 0: client, 1: server } = new WebSocketPair()
      server.accept()
      server.addEventListener('message', ({ data }) => server.send('echo ' + data))
      return new Response(null, { status: 101, webSocket: client })
    }
    case '/ticks': {
      const { readable, writable } = new TransformStream()
      const writer = writable.getWriter()
      const send = async () => {
        for (let i = 0; i < 400; i++) {
          await writer.write(new TextEncoder().encode('.'))
          await scheduler.wait(250)
        }
        await writer.close()
      }
      send().catch(() => {})
      return new Response(readable)
    }
    case '/runs': return Response.json((await DB.prepare('SELECT at FROM runs').all()).results.map(({ at }) => at))
    default: return new Response('${version}')
  }
},
async scheduled({ scheduledTime }, { DB }) {
  await DB.prepare('CREATE TABLE IF NOT EXISTS runs (at INTEGER)').run()
  await DB.prepare('INSERT INTO runs VALUES (?)').bind(scheduledTime).run()
} }`

export const deploymentNamed = (version: string, rest: object = {}) =>
  deploymentOf(CODE(version), { bindings: [{ type: 'db', name: 'DB', id: 'main' }], ...rest })

export type FunctionsNodes = Awaited<ReturnType<typeof startFunctionsNodes>>

/** Server programs that run functions: several on PostgreSQL, Redis and a shared folder, or one on SQLite. */
export async function startFunctionsNodes(count: number) {
  findOrInstall('bubblewrap')
  await using opened = new AsyncDisposableStack()
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), 'svc-functions-nodes-')), (path) =>
    rm(path, { recursive: true, force: true }),
  )
  // The account of the sandbox must be able to enter it.
  await chmod(folder, 0o711)
  const shared =
    count > 1
      ? {
          postgres: opened.adopt(await newPostgresDatabase(), ({ remove }) => remove()),
          redis: opened.adopt(await startRedis(), ({ stop }) => stop()),
        }
      : undefined

  const start = async (): Promise<ServerProcess> => {
    const port = await freePort()
    return startServer({
      PORT: String(port),
      SVC_DATA_DIR: folder,
      SVC_BASE_URL: 'http://game.localhost',
      SVC_SECRET_KEY: 'ab'.repeat(32),
      SVC_RATE_LIMITS: 'off',
      SVC_BILLING: 'off',
      SVC_TEST_CLOCK: 'on',
      ...(shared && {
        DATABASE_URL: shared.postgres.url,
        REDIS_URL: shared.redis.url,
        FUNCTIONS_DIR: join(folder, 'functions'),
        SVC_NODE_URL: `http://127.0.0.1:${port}`,
      }),
    })
  }
  const nodes: ServerProcess[] = []
  const end = async (node: ServerProcess) => {
    node.signal('SIGKILL')
    await node.ended
  }
  opened.defer(async () => {
    await Promise.all(nodes.map(end))
  })
  for (let number = 0; number < count; number++) nodes.push(await start())
  const node = (number: number) => nodes[number] ?? assert.fail(`there is no node ${number}`)

  const { key, developmentKey } = await newApp(callerOf(node(0)))
  const admin = async (number: number, path: string, body: object) => {
    const answer = await callerOf(node(number))('POST', `/v1/admin/functions/${path}`, { key, body })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  await admin(0, 'enable', {})
  const { url } = await admin(0, 'deployments', deploymentNamed('v1'))
  const { host } = new URL(url)
  await admin(0, 'db/DB/query', { sql: 'CREATE TABLE numbers (i INTEGER PRIMARY KEY)' })
  const stack = opened.move()

  return {
    key,
    developmentKey,
    host,
    node,
    admin,
    end,
    /** Replaces a node that has ended. */
    async restart(number: number) {
      nodes[number] = await start()
    },
    /** A request at the URL of the functions. Rejects if the connection breaks. */
    ask: (number: number, path: string, body?: Buffer) => ask(node(number).port, host, path, body),
    /** Numbers of the nodes whose process has the data. Throws if two have it at the same time. */
    owners(): number[] {
      const sandboxes = sandboxesOn(basename(folder))
      assert.ok(new Set(sandboxes.map(({ namespace }) => namespace)).size <= 1, 'two processes have the data')
      return nodes.flatMap(({ pid }, number) =>
        sandboxes.some(({ parents }) => parents.includes(pid)) ? [number] : [],
      )
    },
    leftProcesses: () => sandboxesOn(basename(folder)),
    async flushRedis() {
      const client = createClient({ url: shared?.redis.url ?? '' })
      await client.connect()
      await client.flushAll()
      client.destroy()
    },
    stop: () => stack.disposeAsync(),
  }
}

export function ask(
  port: number,
  host: string,
  path: string,
  body?: Buffer,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      path,
      method: body ? 'POST' : 'GET',
      headers: { host, ...(body && { 'content-length': body.length }) },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const { statusCode = 0, headers } = response
      text(response).then((all) => resolve({ status: statusCode, headers, text: all }), reject)
    })
    sent.end(body)
  })
}

export async function until(condition: () => boolean | Promise<boolean>, what: string) {
  for (const endsAt = performance.now() + ANSWER_TIMEOUT_MS; performance.now() < endsAt;) {
    if (await condition()) return
    await pause(LOOK_MS)
  }
  assert.fail(`not within ${ANSWER_TIMEOUT_MS} ms: ${what}`)
}

/** Processes that have a folder of this name in their own mount namespace, with the processes that started them. */
export const sandboxesOn = (name: string) =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(name)) return []
        return [{ pid, namespace: readlinkSync(`/proc/${pid}/ns/mnt`), parents: parentsOf(pid) }]
      } catch {
        // It has just ended.
        return []
      }
    })

function parentsOf(pid: string): number[] {
  const parents: number[] = []
  for (
    let parent = parentOf(pid);
    parent > 1 && existsSync(`/proc/${parent}`);
    parent = parentOf(String(parent))
  )
    parents.push(parent)
  return parents
}

const parentOf = (pid: string) =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
