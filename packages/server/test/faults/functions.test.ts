import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { WebSocket } from 'ws'

import { runs, skipsTurn } from '../../src/testing/runs.ts'
import { callerOf } from '../server-process.ts'
import { deploymentNamed, type FunctionsNodes, startFunctionsNodes, until } from './functions-nodes.ts'

const LOOK_MS = 100

async function start(t: TestContext, count: number) {
  const nodes = await startFunctionsNodes(count)
  t.after(nodes.stop)
  return nodes
}

/** Checks repeatedly whether two processes have the data. */
function watch(t: TestContext, { owners }: FunctionsNodes) {
  let failure: unknown
  const timer = setInterval(() => {
    try {
      owners()
    } catch (error) {
      failure ??= error
    }
  }, LOOK_MS)
  t.after(() => clearInterval(timer))
  return () => {
    clearInterval(timer)
    if (failure) throw failure
  }
}

/** Adds numbers until it is stopped. Acknowledged numbers must be found later. */
function startWriter(t: TestContext, { ask }: FunctionsNodes, number: number, first: number) {
  const acknowledged: number[] = []
  const statuses = new Set<number>()
  let isStopped = false
  const ended = (async () => {
    for (let i = first; !isStopped; i++) {
      const answer = await ask(number, `/add?i=${i}`).catch(() => undefined)
      if (answer?.status === 200) acknowledged.push(i)
      else await pause(10)
      statuses.add(answer?.status ?? 0)
    }
  })()
  t.after(() => (isStopped = true))
  return {
    acknowledged,
    statuses,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

/** Begins a response that lasts 100 seconds. Returns how many bytes of it have arrived. */
async function openTicks({ node, host }: FunctionsNodes, number: number): Promise<() => number> {
  let ticks = 0
  const sent = request({ port: node(number).port, path: '/ticks', headers: { host } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  response.on('data', (chunk: Buffer) => (ticks += chunk.length))
  response.on('error', () => {})
  return () => ticks
}

async function requireStored({ ask }: FunctionsNodes, number: number, acknowledged: readonly number[]) {
  const { status, text } = await ask(number, '/all')
  assert.equal(status, 200, text)
  const stored = new Set(JSON.parse(text) as number[])
  const lost = acknowledged.filter((i) => !stored.has(i))
  assert.deepEqual(lost, [])
}

describe('functions on two nodes', () => {
  test('[FUN-05] answer on both nodes, and one process has the data: requests, bodies, WebSockets, SQL, logs and deployments', async (t) => {
    const nodes = await start(t, 2)
    const finish = watch(t, nodes)
    assert.deepEqual(nodes.owners(), [0])
    assert.match(nodes.node(0).banner, /Functions +run in a sandbox \(bubblewrap\), with .*account/)
    const ready = await callerOf(nodes.node(0))('GET', '/readyz')
    assert.equal(ready.body.functionsSandbox, 'bubblewrap')
    for (const number of [0, 1]) {
      assert.equal((await nodes.ask(number, '/')).text, 'v1')
      const body = Buffer.alloc(3_000_000, 'body')
      assert.equal((await nodes.ask(number, '/echo', body)).text.length, body.length)
      const socket = new WebSocket(`ws://127.0.0.1:${nodes.node(number).port}/socket`, {
        headers: { host: nodes.host },
      })
      await once(socket, 'open')
      socket.send('hello')
      const [message] = await once(socket, 'message')
      assert.equal(String(message), 'echo hello')
      socket.terminate()
      const logs = await callerOf(nodes.node(number))('GET', '/v1/admin/functions/logs', { key: nodes.key })
      assert.deepEqual([logs.status, logs.body.lines[0]?.message], [200, 'started'])
      await nodes.admin(number, 'db/DB/query', { sql: `INSERT INTO numbers VALUES (${number})` })
    }
    assert.equal((await nodes.ask(1, '/all')).text, '[0,1]')

    const writers = [startWriter(t, nodes, 0, 1_000), startWriter(t, nodes, 1, 2_000)]
    for (const version of ['v2', 'v3']) {
      await nodes.admin(version === 'v2' ? 1 : 0, 'deployments', deploymentNamed(version))
      for (const number of [0, 1]) assert.equal((await nodes.ask(number, '/')).text, version)
    }
    for (const writer of writers) {
      await writer.stop()
      assert.deepEqual([...writer.statuses], [200])
      await requireStored(nodes, 0, writer.acknowledged)
    }
    finish()
  })

  test('[FUN-05] when the owner is killed or stopped, the other node continues, and nothing acknowledged is lost', async (t) => {
    if (skipsTurn(t, 0)) return
    const nodes = await start(t, 2)
    const finish = watch(t, nodes)
    const writer = startWriter(t, nodes, 1, 1)
    await until(() => writer.acknowledged.length > 20, 'writes through the node that is not the owner')
    await nodes.end(nodes.node(0))
    const before = writer.acknowledged.length
    await until(() => writer.acknowledged.length > before + 20, 'writes by the new owner')
    await writer.stop()
    assert.deepEqual(nodes.owners(), [1])
    await requireStored(nodes, 1, writer.acknowledged)
    assert.deepEqual(
      [...writer.statuses].filter((status) => status !== 200 && status !== 503),
      [],
    )

    await nodes.restart(0)
    await requireStored(nodes, 0, writer.acknowledged)
    assert.deepEqual(nodes.owners(), [1], 'a new node does not take over')
    const others = [1, 2, 3, 4].map((at) => startWriter(t, nodes, 0, at * 10_000))
    const written = () => others.flatMap(({ acknowledged }) => acknowledged)
    await until(() => written().length > 20, 'writes through the new node')
    const ticks = await openTicks(nodes, 1)
    nodes.node(1).signal('SIGTERM')
    await nodes.node(1).ended
    // Four per second: the node did not wait for the stream, which takes longer than requests may.
    assert.ok(ticks() < 80, `${ticks()} ticks`)
    const beforeStop = written().length
    await until(() => written().length > beforeStop + 20, 'writes by the node that is left')
    for (const { stop } of others) await stop()
    assert.deepEqual(
      [...new Set(others.flatMap(({ statuses }) => [...statuses]))],
      [200],
      'a graceful stop of the owner fails no request of the other node',
    )
    await requireStored(nodes, 0, [...writer.acknowledged, ...written()])
    assert.deepEqual(nodes.owners(), [0])
    finish()
  })

  test('[FUN-05] while the owner is frozen no other process has its data; when it continues, it gives up, and the other node takes over', async (t) => {
    if (skipsTurn(t, 1)) return
    const nodes = await start(t, 2)
    const finish = watch(t, nodes)
    const writer = startWriter(t, nodes, 1, 1)
    await until(() => writer.acknowledged.length > 5, 'writes before')
    await writer.stop()
    nodes.node(0).signal('SIGSTOP')
    const frozen = await nodes.ask(1, '/all')
    assert.deepEqual([frozen.status, JSON.parse(frozen.text).error.code], [503, 'functions_unavailable'])
    assert.deepEqual(nodes.owners(), [0])

    const later = startWriter(t, nodes, 1, 1_000)
    nodes.node(0).signal('SIGCONT')
    await until(() => later.acknowledged.length > 20, 'writes after the owner is awake')
    await later.stop()
    for (const number of [0, 1])
      await requireStored(nodes, number, [...writer.acknowledged, ...later.acknowledged])
    assert.equal(nodes.owners().length, 1)
    finish()
  })

  test('[FUN-13] when the owner dies before it begins a slot, the other node runs it, once', async (t) => {
    if (skipsTurn(t, 1)) return
    const nodes = await start(t, 2)
    const hour = new Date(Date.now() + 6 * 3_600_000).getUTCHours()
    await nodes.admin(0, 'deployments', deploymentNamed('v2', { crons: [`0 ${hour} * * *`] }))
    assert.deepEqual(nodes.owners(), [0])
    const call = callerOf(nodes.node(1))
    const status = async () => (await call('GET', '/v1/admin/functions', { key: nodes.key })).body.crons[0]
    const { nextAt } = await status()
    nodes.node(0).signal('SIGSTOP')
    // The other node looks once a second, and the owner is lost only after three.
    const advanceMs = Date.parse(nextAt) - Date.now() + 1_000
    const moved = await call('POST', '/v1/dev/clock', { key: nodes.developmentKey, body: { advanceMs } })
    assert.equal(moved.status, 200, JSON.stringify(moved.body))
    await nodes.end(nodes.node(0))
    await until(async () => (await status()).lastOutcome === 'ok', 'a run by the other node')
    assert.equal((await status()).lastAt, nextAt)
    assert.equal((await nodes.ask(1, '/runs')).text, JSON.stringify([Date.parse(nextAt)]))
  })

  test('[FUN-05] after Redis has lost all data there is one process again, and no write is lost', async (t) => {
    if (skipsTurn(t, 0)) return
    const nodes = await start(t, 2)
    const finish = watch(t, nodes)
    const writers = [startWriter(t, nodes, 0, 1), startWriter(t, nodes, 1, 100_000)]
    const all = () => writers.map(({ acknowledged }) => acknowledged.length)
    await until(() => all().every((count) => count > 5), 'writes before')
    await nodes.flushRedis()
    const before = all()
    await until(() => all().every((count, index) => count > (before[index] ?? 0) + 20), 'writes after')
    for (const writer of writers) {
      await writer.stop()
      for (const number of [0, 1]) await requireStored(nodes, number, writer.acknowledged)
    }
    assert.equal(nodes.owners().length, 1)
    finish()
  })
})

test(`[FUN-05] kill -9 of the service ${runs(2, 20)} times: no acknowledged write is lost, and no process is left`, async (t) => {
  const nodes = await start(t, 1)
  const acknowledged: number[] = []
  for (let round = 1; round <= runs(2, 20); round++) {
    const writers = [1, 2, 3, 4].map((writer) => startWriter(t, nodes, 0, round * 100_000 + writer * 10_000))
    await until(() => writers.every((writer) => writer.acknowledged.length > 5), 'writes')
    assert.deepEqual(nodes.owners(), [0])
    const ending = nodes.end(nodes.node(0))
    for (const writer of writers) {
      await writer.stop()
      acknowledged.push(...writer.acknowledged)
    }
    await ending
    await until(() => nodes.leftProcesses().length === 0, 'the end of its process')
    await nodes.restart(0)
    await requireStored(nodes, 0, acknowledged)
  }
})
