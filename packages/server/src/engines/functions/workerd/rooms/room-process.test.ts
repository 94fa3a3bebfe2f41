import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'

import type { ApiError } from '../../../../platform/api-error.ts'
import { get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { roomCodeOf, startTestRooms } from '../../../../testing/room-processes.ts'
import { inTurn } from '../../../../testing/runs.ts'
import { dataFolderOf } from '../process/folders.ts'

const MIB = 1024 * 1024

/** A room that does what it is told, also what no room should do. */
const HOSTILE = roomCodeOf(`
import { Room } from './room.js'

const kept = []
let forged
const send = WebSocket.prototype.send
WebSocket.prototype.send = function (text) {
  const message = forged ?? text
  forged = undefined
  return send.call(this, message)
}
const tasks = {
  echo: (data) => data,
  log(data) { console.log('said', data) },
  throw() { throw new Error('thrown by a room') },
  loop() { for (;;); },
  async microtasks() { for (;;) await undefined },
  heap() { for (;;) kept.push(new Array(500_000).fill(0.5)) },
  bytes() { for (;;) kept.push(new Uint8Array(8 << 20).fill(7)) },
  text(bytes) { forged = 'x'.repeat(bytes) },
  binary() { forged = new Uint8Array(8) },
}
export class Hostile extends Room {
  onServerMessage(type, data) { return tasks[type](data) }
}
export default { fetch: () => new Response('functions') }`)

const isCode = (code: string) => (error: ApiError) => error.code === code

async function open(t: TestContext, options: Parameters<typeof openTestFunctions>[0] = {}) {
  const functions = await openTestFunctions(options)
  t.after(() => functions.close())
  return functions
}

const LIMITS = { cpuMs: 200, subRequests: 50 }
const PLAYERS = Array.from({ length: 8 }, (_, at) => ({ id: `ply_${at}`, displayName: null }))

async function openHostile(t: TestContext, options: Parameters<typeof openTestFunctions>[0] = {}) {
  const functions = await open(t, options)
  const start = async (code = HOSTILE) => {
    const rooms = await startTestRooms(t, functions.engine, code, { limits: LIMITS })
    await rooms.open('rom_1', 'Hostile')
    return rooms
  }
  return { ...functions, start, rooms: await start() }
}

describe('a process of rooms', () => {
  test('[RWC-11] batches are answered in their order, up to 8 MiB in each direction', async (t) => {
    const { rooms } = await openHostile(t)
    const before = rooms.messages.length
    for (let turn = 2; turn < 302; turn++) rooms.send('rom_1', ['tick', turn])
    await comesTrue('all answers', () => rooms.messages.length === before + 300)
    const answered = rooms.messages
      .slice(before)
      .map((bytes) => (JSON.parse(String(bytes)) as unknown[][])[0]?.[1])
    assert.deepEqual(
      answered,
      Array.from({ length: 300 }, (_, index) => index + 2),
    )

    const empty = JSON.stringify([['rom_1', 302, 0, [['in', 'ply_1', null, 'none', '']]]])
    const last = rooms.messages.length
    rooms.process.send(empty.replace('""', `"${'x'.repeat(8 * MIB - empty.length)}"`))
    await comesTrue('the answer to 8 MiB', () => rooms.messages.length > last)
    assert.match(String(rooms.messages[last]), /^\[\["rom_1",302,/)
    assert.throws(() => rooms.process.send('x'.repeat(8 * MIB + 1)), RangeError)

    rooms.send('rom_1', ['msg', 'ask', 'text', 8 * MIB])
    await comesTrue('a message of 8 MiB', () => rooms.messages.at(-1)?.length === 8 * MIB)
    assert.deepEqual(rooms.ends, [])
  })

  test('[RWC-111] answers to one batch that are larger than a message come in several messages', async (t) => {
    const { engine } = await open(t)
    const code = roomCodeOf(`
      import { Room } from './room.js'
      export class Large extends Room { state = { text: 'x'.repeat(60_000) } }`)
    const rooms = await startTestRooms(t, engine, code, { limits: LIMITS })
    const ids = Array.from({ length: 20 }, (_, at) => `rom_${at}`)
    for (const id of ids) {
      await rooms.open(id, 'Large')
      await rooms.turn(id, ...PLAYERS.map((player) => ['join', player]))
    }
    rooms.messages.length = 0
    const views = PLAYERS.map(({ id }) => ['view', id])
    rooms.process.send(JSON.stringify(ids.map((id) => [id, 3, 0, views])))
    const answers = () =>
      rooms.messages.flatMap((bytes) => JSON.parse(bytes.toString().split('\n')[0] ?? '') as unknown[][])
    await comesTrue('all answers', () => rooms.ends.length > 0 || answers().length === ids.length)
    assert.deepEqual(
      answers().map(([id, turn, outputs]) => [id, turn, (outputs as unknown[]).length]),
      ids.map((id) => [id, 3, PLAYERS.length]),
    )
    const bytes = rooms.messages.reduce((sum, { length }) => sum + length, 0)
    assert.ok(bytes > 8 * MIB, `${bytes}`)
  })

  test('[RWC-12] a message over 8 MiB, or of bytes, ends the process', async (t) => {
    const { start, rooms: first } = await openHostile(t)
    let rooms: typeof first | undefined = first
    for (const [type, data] of [
      ['text', 8 * MIB + 1],
      ...inTurn([
        ['text', 32 * MIB],
        ['binary', null],
      ] as const),
    ] as const) {
      rooms ??= await start()
      rooms.send('rom_1', ['msg', 'ask', type, data])
      assert.equal(await rooms.ended, 'failed', type)
      rooms = undefined
    }
  })

  test('[RWC-13] a turn that does not end is ended by the limit of CPU time', async (t) => {
    const { start, rooms: first, engine } = await openHostile(t)
    let rooms: typeof first | undefined = first
    for (const task of inTurn(['loop', 'microtasks'])) {
      rooms ??= await start()
      const beforeMs: number = rooms.process.cpuMs()
      rooms.process.takeUsage()
      rooms.send('rom_1', ['msg', 'ask', task, null])
      assert.equal(await rooms.ended, 'cpu_limit_exceeded', task)
      const usedMs: number = rooms.process.cpuMs() - beforeMs
      assert.ok(usedMs >= 200 && usedMs < 1_000, `${usedMs} ms were used`)
      const { cpuMs, requests } = rooms.process.takeUsage()
      assert.ok(cpuMs >= 200 && requests === 0)
      assert.equal(rooms.process.takeUsage().cpuMs, 0)
      rooms = undefined
    }
    const lines = await engine.readLogs('data', { limit: 10 })
    assert.ok(lines.some(({ message }) => message.startsWith('cpu_limit_exceeded: ')))
  })

  test('[RWC-126] a process that does not answer for long has the priority of the service for a while', async (t) => {
    const { engine } = await open(t)
    const rooms = await startTestRooms(t, engine, HOSTILE, { limits: { ...LIMITS, cpuMs: 30_000 } })
    await rooms.open('rom_1', 'Hostile')
    const [pid = 0] = engine.pids()
    // Only root can raise the priority of a process again.
    const [busy, overdue] =
      process.getuid?.() === 0 ? [19, getPriority()] : [getPriority(pid), getPriority(pid)]
    rooms.send('rom_1', ['msg', 'ask', 'loop', null])
    await comesTrue('it is busy', () => getPriority(pid) === busy)
    await comesTrue('it is overdue', () => getPriority(pid) === overdue)
    await comesTrue('it has used its part', () => getPriority(pid) === busy)
    assert.deepEqual(rooms.ends, [])
  })

  test('[RWC-13] memory over its limit ends the process', async (t) => {
    const { engine } = await open(t)
    for (const task of inTurn(['heap', 'bytes'])) {
      const limits = { cpuMs: 30_000, subRequests: 50 }
      const rooms = await startTestRooms(t, engine, HOSTILE, { limits })
      await rooms.open('rom_1', 'Hostile')
      rooms.send('rom_1', ['msg', 'ask', task, null])
      assert.equal(await rooms.ended, 'memory_limit_exceeded', task)
    }
  })

  test('[RWC-14] each end is reported once, and nothing arrives after it', async (t) => {
    const { engine, rooms: killed, start } = await openHostile(t)
    process.kill(engine.pids()[0] ?? 0, 'SIGKILL')
    assert.equal(await killed.ended, 'killed')
    killed.send('rom_1', ['tick', 1])
    await killed.process.stop()
    assert.deepEqual(killed.ends, ['killed'])

    const stopped = await start()
    for (let turn = 0; turn < 500; turn++) stopped.send('rom_1', ['tick', turn])
    await stopped.process.stop()
    assert.deepEqual(engine.pids(), [])
    await comesTrue('its end is reported', () => stopped.ends.length > 0)
    await stopped.process.stop()
    assert.deepEqual(stopped.ends, ['stopped'])

    const closed = await start()
    await engine.close()
    await comesTrue('its end is reported', () => closed.ends.length > 0)
    assert.deepEqual(closed.ends, ['stopped'])
    assert.deepEqual(engine.pids(), [])
    await assert.rejects(start(), isCode('functions_unavailable'))
  })

  test('[RWC-14] code that does not start is refused, and started rarely after five failures', async (t) => {
    const { engine } = await open(t)
    const broken = roomCodeOf('throw new Error("at the top")')
    for (let start = 0; start < 5; start++)
      await assert.rejects(startTestRooms(t, engine, broken), isCode('functions_unavailable'))
    const lines = await engine.readLogs('data', { limit: 100, q: 'at the top' })
    assert.ok(lines.length >= 5)
    await assert.rejects(startTestRooms(t, engine, HOSTILE), isCode('functions_unavailable'))
    assert.equal((await engine.readLogs('data', { limit: 100, q: 'at the top' })).length, lines.length)
  })

  test('[RWC-10] it has the sandbox of functions and no data: several versions run beside the functions', async (t) => {
    const { engine, root, rooms, start } = await openHostile(t)
    assert.ok(!existsSync(dataFolderOf(join(root, 'functions'), 'data')), 'no data folder')
    const functions = await engine.start(specOf(HOSTILE))
    assert.equal((await get(functions, '/')).text, 'functions')
    const other = await start(
      roomCodeOf(
        `import { Room } from './room.js'; export class Hostile extends Room { onServerMessage() { return 'other' } }`,
      ),
    )
    assert.equal((await rooms.ask('rom_1', 'echo', 'first')).payload, '"first"')
    assert.equal((await other.ask('rom_1', 'echo', 'first')).payload, '"other"')

    const pids = engine.pids()
    assert.equal(pids.length, 3)
    const statusOf = (pid: number) =>
      Object.fromEntries(
        readFileSync(`/proc/${pid}/status`, 'utf8')
          .split('\n')
          .map((line) => line.split(':\t') as [string, string])
          .filter(([name]) => ['Uid', 'Gid', 'NoNewPrivs', 'Seccomp', 'CapEff', 'CapBnd'].includes(name)),
      )
    const [ofFunctions = 0, ...ofRooms] = pids
    for (const pid of ofRooms) {
      assert.deepEqual(statusOf(pid), statusOf(ofFunctions))
      assert.equal(statusOf(pid)['Seccomp'], '2')
      assert.ok(!readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(' /data '))
      assert.match(readFileSync(`/proc/${pid}/net/dev`, 'utf8'), /^\s*lo:/m)
      assert.doesNotMatch(readFileSync(`/proc/${pid}/net/dev`, 'utf8'), /eth|ens|wlan/)
    }
    assert.match(readFileSync(`/proc/${ofFunctions}/mountinfo`, 'utf8'), / \/data /)
  })

  test('[RWC-15] it is one of the processes of the node and of its developer', async (t) => {
    const { engine } = await open(t, { processesMax: 4 })
    const start = (developerId: string | null) => startTestRooms(t, engine, HOSTILE, { developerId })
    const mine = await start('dev_1')
    await assert.rejects(start('dev_1'), isCode('functions_overloaded'))
    const others = [await start('dev_2'), await start(null)]
    // An idle process of functions makes room; one of rooms never does.
    const functions = await engine.start(specOf(HOSTILE))
    await get(functions, '/')
    assert.equal(engine.pids().length, 4)
    others.push(await start(null))
    assert.equal(engine.pids().length, 4)
    await assert.rejects(start(null), isCode('functions_overloaded'))
    await assert.rejects(get(functions, '/'), isCode('functions_overloaded'))
    await mine.process.stop()
    await start('dev_1')
    assert.deepEqual(
      others.flatMap(({ ends }) => ends),
      [],
    )
  })

  test('[RWC-18] log lines carry the id of the room, also the stack of what it throws', async (t) => {
    const { engine, rooms } = await openHostile(t)
    await rooms.open('rom_2', 'Hostile')
    await Promise.all([rooms.ask('rom_1', 'log', 1), rooms.ask('rom_2', 'log', 2)])
    assert.equal((await rooms.ask('rom_2', 'throw')).kind, 'error')
    await comesTrue('the lines are there', async () => (await linesOf('rom_2')).length >= 2)
    assert.deepEqual(
      (await linesOf('rom_1')).map(({ message }) => message),
      ['said 1'],
    )
    const [said, thrown] = await linesOf('rom_2')
    assert.equal(said?.message, 'said 2')
    assert.match(thrown?.message ?? '', /^Error: thrown by a room\n\s+at .*index\.js:\d+/)

    async function linesOf(roomId: string) {
      return engine.readLogs('data', { limit: 100, q: roomId })
    }
  })
})

describe('the trial of code with rooms', () => {
  test('[RWC-19] it lists the exported classes; every class that cannot be used is a problem', async (t) => {
    const { engine } = await open(t)
    const tried = (script: string) =>
      engine.trial(specOf(roomCodeOf(`import { Room } from './room.js'\n${script}`)))
    assert.deepEqual(
      await tried(`
        export { Room }
        export class Arena extends Room { static tickRate = 60 }
        export class Cards extends Room {}
        class Hidden extends Room {}
        export class Other {}
        export default {}`),
      {
        problems: [],
        rooms: [
          { className: 'Arena', tickRate: 60 },
          { className: 'Cards', tickRate: 0 },
        ],
      },
    )
    const { problems } = await tried(`
      export class Fast extends Room { static tickRate = 61 }
      export class Half extends Room { static tickRate = 0.5 }
      export class Good extends Room {}`)
    assert.deepEqual(problems, [
      { path: '$.modules[0]', message: 'Fast.tickRate must be a whole number from 0 to 60.' },
      { path: '$.modules[0]', message: 'Half.tickRate must be a whole number from 0 to 60.' },
    ])
    const [unreadable] = (await tried('export class Bad extends Room { static get tickRate() { throw 1 } }'))
      .problems
    assert.equal(unreadable?.path, '$.modules[0]')
  })

  test('[RWC-19] code that has rooms needs no default export: its functions answer 404', async (t) => {
    const { engine } = await open(t)
    const code = roomCodeOf(`import { Room } from './room.js'; export class Arena extends Room {}`)
    assert.deepEqual((await engine.trial(specOf(code))).problems, [])
    assert.equal((await get(await engine.start(specOf(code)), '/')).status, 404)
  })
})
