import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'

import { LIMITS } from '@svc/contract/common/limits'

import {
  deployFunctions,
  startFunctionsNodes,
  startFunctionsService,
} from '../../testing/deployed-functions.ts'
import { browserFor } from '../../testing/hosted-apps.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { modulesWithRooms, openTestRoom } from '../../testing/room-code.ts'
import { runs } from '../../testing/runs.ts'
import { engines, type Service } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const OBJECTS = [{ type: 'durable_object', name: 'OBJECTS', className: 'Objects' }]
const bindings = [
  { type: 'db', name: 'DB', id: 'main' },
  { type: 'kv', name: 'KV' },
  { type: 'files', name: 'FILES' },
  { type: 'queue', name: 'JOBS', queue: 'jobs', consumer: { maxBatchTimeoutSeconds: 0 } },
  ...OBJECTS,
]
/** A room that uses every binding; the functions note what they get from a queue, and answer with what they were sent. */
const CODE = `
import { DurableObject } from 'cloudflare:workers'
import { Room } from './room.js'
async function lengthOf(stream) {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.byteLength
  return bytes
}
const USES = {
  async write({ DB, KV, JOBS }, { value }) {
    await DB.prepare('CREATE TABLE IF NOT EXISTS t (v)').run()
    await DB.prepare('INSERT INTO t VALUES (?)').bind(value).run()
    await KV.put('key', value, { metadata: { by: 'room' } })
    await JOBS.send({ value })
  },
  read: async ({ DB, KV }) => ({
    rows: (await DB.prepare('SELECT v FROM t').all()).results.map(({ v }) => v),
    kv: await KV.getWithMetadata('key'),
  }),
  async putFile({ FILES }, { bytes }) {
    const { readable, writable } = new FixedLengthStream(bytes)
    const writer = writable.getWriter()
    const chunk = new Uint8Array(1 << 20)
    const write = async () => {
      for (let left = bytes; left > 0; left -= chunk.length) await writer.write(chunk.subarray(0, Math.min(left, chunk.length)))
      await writer.close()
    }
    const [{ size }] = await Promise.all([FILES.put('large', readable), write()])
    return size
  },
  getFile: async ({ FILES }) => lengthOf((await FILES.get('large')).body),
  async failed({ DB }, { sql }) {
    try { await DB.prepare(sql).run() } catch (error) { return error.message }
  },
  async call({ SVC }, { path, ...init }) {
    const response = await SVC.functions.fetch(path, init)
    return { status: response.status, body: await response.json() }
  },
  callWithBody: (env, { bytes }) => USES.call(env, { path: '/unread', method: 'POST', body: 'x'.repeat(bytes) }),
  print: (env, { text }) => console.log(text),
  async objects({ OBJECTS }) {
    try { return String(OBJECTS.idFromName('a')) } catch (error) { return error.message }
  },
  async other(env, { name, method, args }) {
    try { return { value: (await env[name][method](...args)) ?? null } } catch (error) { return { error: error.message } }
  },
}
export class Arena extends Room {
  onServerMessage(type, data) { return USES[type](this.env, data ?? {}) }
}
export class Objects extends DurableObject {}
export default {
  async fetch(request) {
    if (new URL(request.url).pathname === '/unread') return Response.json('unread')
    return Response.json({
      method: request.method,
      path: new URL(request.url).pathname,
      caller: request.headers.get('svc-caller'),
      player: request.headers.get('svc-player-id'),
      own: request.headers.get('x-own'),
      body: await request.text(),
    })
  },
  async queue({ messages }, { KV }) {
    for (const { body } of messages) await KV.put('job', body.value)
  },
}`

/** A room that runs on `rooms` and the functions on `functions`; both may be the same node. */
async function openRoom(rooms: Service, functions: Service) {
  const project = await functions.newProject()
  const { development, slug, environments } = project
  // Large files take CPU time.
  await development.server('POST', `${FUNCTIONS}/enable`, { cpuMs: LIMITS.functionsCpuMsMax })
  const { deploymentId } = await deployFunctions(development, modulesWithRooms(CODE), { bindings })
  const environmentId = environments.find(({ name }) => name === 'development')?.id ?? ''
  const visit = await browserFor(functions)
  // The first request decides which node runs the functions.
  assert.equal((await visit(`${slug}--dev--fn`, '/')).status, 200)
  const open = () =>
    openTestRoom('Arena', (events) => rooms.functions.roomCode.start(environmentId, deploymentId, events))
  return { development, slug, environmentId, visit, open, ...(await open()) }
}
type OpenRoom = Awaited<ReturnType<typeof openRoom>>

async function useEveryBinding({ ask, development }: OpenRoom) {
  await ask('write', { value: 'from a room' })
  const kv = { value: 'from a room', metadata: { by: 'room' }, cacheStatus: null }
  assert.deepEqual(await ask('read'), { rows: ['from a room'], kv })
  const query = await development.server('POST', `${FUNCTIONS}/db/DB/query`, { sql: 'SELECT v FROM t' })
  assert.deepEqual(query.body.results, [{ v: 'from a room' }])
  for (;;) {
    const { value } = await ask('other', { name: 'KV', method: 'get', args: ['job'] })
    if (value === 'from a room') break
  }
  assert.match(await ask('failed', { sql: 'SELECT * FROM nowhere' }), /no such table: nowhere/)
  assert.match(await ask('objects'), /env\.SVC\.functions\.fetch/)
}

async function callFunctions({ ask, visit, slug }: OpenRoom) {
  const answer = {
    method: 'POST',
    path: '/score',
    caller: 'room',
    player: null,
    own: 'mine',
    body: 'points',
  }
  const forged = {
    'svc-caller': 'visitor',
    'svc-player-id': 'ply_1',
    'svc-node-call': 'logs',
    'x-own': 'mine',
  }
  assert.deepEqual(
    await ask('call', { path: '/score?a=1', method: 'POST', body: 'points', headers: forged }),
    { status: 200, body: answer },
  )
  assert.deepEqual(await ask('callWithBody', { bytes: 5_000_000 }), { status: 200, body: 'unread' })
  const visitor = JSON.parse(
    (await visit(`${slug}--dev--fn`, '/', { headers: { 'svc-caller': 'room' } })).text,
  )
  assert.equal(visitor.caller, null)
}

suite('bindings of rooms', { start: (engine) => startFunctionsService(engine) }, ({ service }) => {
  test('[RWC-24] a room uses the databases, keys, files and queues of the functions', async () => {
    const room = await openRoom(service, service)
    await useEveryBinding(room)
    assert.equal(await room.ask('putFile', { bytes: 3_000_000 }), 3_000_000)
    assert.equal(await room.ask('getFile'), 3_000_000)
    await room.process.stop()
  })

  test('[RWC-24] env.SVC.functions calls the functions of the environment, which see that a room calls', async () => {
    const room = await openRoom(service, service)
    await callFunctions(room)
    await room.process.stop()
  })

  test('[RWC-24] data belongs to the id: a room of an older version finds it, unless the functions have none of its type', async () => {
    const room = await openRoom(service, service)
    await room.ask('write', { value: 'old' })
    await deployFunctions(room.development, modulesWithRooms(CODE), {
      bindings: [{ type: 'db', name: 'DB', id: 'another' }, ...OBJECTS],
    })
    assert.deepEqual(
      await room
        .ask('other', { name: 'DB', method: 'exec', args: ['INSERT INTO t VALUES (1)'] })
        .then(({ error }) => error),
      undefined,
    )
    const { error } = await room.ask('other', { name: 'KV', method: 'get', args: ['key'] })
    assert.match(error, /binding_not_found/)
    await room.process.stop()
  })
})

suite(
  'bindings of rooms on another node',
  { engines: engines.filter((engine) => engine === 'postgres'), start: () => startFunctionsNodes() },
  ({ service }) => {
    test('[RWC-24] a room on another node than the functions uses all of them, files of any size included', async () => {
      const room = await openRoom(service.other, service)
      await useEveryBinding(room)
      await callFunctions(room)
      // The long form: more than a visitor may send.
      const bytes = runs(5_000_000, 60_000_000)
      assert.equal(await room.ask('putFile', { bytes }), bytes)
      assert.equal(await room.ask('getFile'), bytes)
      await room.process.stop()
    })

    test('[RWC-57] log lines of a room on another node are in the log of the functions, once, on every node', async () => {
      const room = await openRoom(service.other, service)
      await room.ask('print', { text: 'printed in a room' })
      const server = service.other.withKey(room.development.secretKey)
      for (const read of [room.development.server, server]) {
        const lines = async () => (await read('GET', `${FUNCTIONS}/logs?q=printed`)).body.lines
        await comesTrue('the line is there', async () => (await lines()).length > 0)
        assert.deepEqual(
          (await lines()).map(({ message, requestId }: Record<string, string>) => [message, requestId]),
          [['printed in a room', 'rom_1']],
        )
      }
      await room.process.stop()
    })

    test('[RWC-24] what the node of the functions refuses is an error in the room, never an empty answer', async () => {
      const room = await openRoom(service.other, service)
      await room.ask('write', { value: 'old' })
      await deployFunctions(room.development, modulesWithRooms(CODE), { bindings: OBJECTS })
      for (const [name, method] of [
        ['KV', 'get'],
        ['FILES', 'get'],
        ['DB', 'exec'],
        ['JOBS', 'send'],
      ] as const) {
        const { error } = await room.ask('other', { name, method, args: ['key'] })
        assert.match(error, /binding_not_found/, name)
      }
      await room.process.stop()
    })

    test('[RWC-22] every node reports a change, and ends the processes of suspended functions', async () => {
      const project = await service.newProject()
      const { development, environments, slug } = project
      const environmentId = environments.find(({ name }) => name === 'development')?.id ?? ''
      const { roomCode } = service.other.functions
      const reports: unknown[] = []
      let onReport = () => {}
      roomCode.onChange((id, change) => {
        if (id !== environmentId) return
        reports.push(change)
        onReport()
      })
      const reported = async (change: object) => {
        while (!reports.some((each) => isDeepStrictEqual(each, change)))
          await new Promise<void>((resolve) => (onReport = resolve))
      }
      const { deploymentId: versionId } = await deployFunctions(development, modulesWithRooms(CODE), {
        bindings,
        finishMinutes: 7,
      })
      const deployedAtMs = service.clock.now().getTime()
      await reported({ runs: true, versionId, deployedAtMs, finishMinutes: 7 })
      const room = await openTestRoom('Arena', (events) => roomCode.start(environmentId, versionId, events))
      await service.functions.suspendProject(slug, true)
      await reported({ runs: false, reason: 'suspended' })
      assert.equal(await room.ended, 'stopped')
      assert.equal(await roomCode.live(environmentId, 'Arena'), undefined)
    })
  },
)
