import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { openFiles } from '../../packages/server/src/engines/blobs/files.ts'
import { openWorkerd } from '../../packages/server/src/engines/functions/workerd/engine.ts'
import { systemClock } from '../../packages/server/src/platform/clock.ts'
import { TICK_RATE } from '../game/arena.ts'
import { type Metrics, percentile } from '../metrics.ts'
import { cpuMs } from '../process-stats.ts'
import { runWorkerLoop } from '../worker-loop.ts'
import { bundleOfRooms } from './room-bundle.ts'

/** Batches to a process of rooms, without the service around it. Without ticks, each batch is one question in one room. */
export type RoomEngineTask = { what: 'ticks' | 'questions'; ms: number }

const [ROOMS, PER_ROOM] = [50, 8]
const QUESTIONS_PER_SECOND = 250
const ANSWER_TIMEOUT_MS = 10_000

const { values } = parseArgs({ options: { data: { type: 'string', default: '' } } })
const engine = openWorkerd(
  { folder: join(values.data, 'functions'), sandbox: 'preferred', processesMax: 64, storageBytesMax: 1e9 },
  { clock: systemClock, log: () => {}, blobs: await openFiles(join(values.data, 'blobs')) },
)
let answered = Promise.withResolvers<void>()
const rooms = await engine.startRooms({
  environmentId: 'bench',
  developerId: null,
  dataId: 'bench',
  code: {
    mainModule: 'index.js',
    modules: [{ name: 'index.js', type: 'esm', content: await bundleOfRooms() }],
    bindings: [],
    vars: {},
    assets: null,
    compatibilityDate: engine.compatibilityDate,
  },
  limits: { cpuMs: 30_000, subRequests: 50 },
  secrets: {},
  allowLoopback: false,
  onServiceCall: (_request, response) => void response.end(),
  onBindingCall: (_binding, _request, response) => void response.end(),
  onFunctionsCall: (_request, response) => void response.end(),
  onMessage: () => answered.resolve(),
  onEnd: (end) => answered.reject(new Error(`the process of rooms has ended: ${end}`)),
})
const pid = engine.pids().at(-1) ?? 0
const turns = new Map<string, number>()
let count = 0
await openRooms()

runWorkerLoop(({ what, ms }: RoomEngineTask) =>
  what === 'ticks'
    ? measure(ms, 1_000 / TICK_RATE, ROOMS, ticks)
    : measure(ms, 1_000 / QUESTIONS_PER_SECOND, 1, question),
)

async function openRooms() {
  const playerIds = Array.from({ length: PER_ROOM }, (_, i) => `player-${i}`)
  const joins = playerIds.map((id) => ['join', { id, displayName: null }])
  const info = { code: 'CODE', maxPlayers: PER_ROOM, private: true, metadata: null, createdAt: '' }
  const open = (id: string, className: string, tickRate: number, events: unknown[]) =>
    turn(id, [['open', className, null, { ...info, id, mode: className, tickRate }, 'seed'], ...events])
  for (const id of roomIds('arena')) await send([open(id, 'Arena', TICK_RATE, joins)])
  for (const id of roomIds('quiz')) await send([open(id, 'Quiz', 0, joins)])
}

function roomIds(game: string): string[] {
  return Array.from({ length: ROOMS }, (_, i) => `${game}-${i}`)
}

function turn(roomId: string, events: unknown[]): string {
  const nth = (turns.get(roomId) ?? 0) + 1
  turns.set(roomId, nth)
  return JSON.stringify([roomId, nth, Date.now(), events])
}

async function send(batch: readonly string[]) {
  answered = Promise.withResolvers()
  rooms.send(`[${batch.join(',')}]`)
  await Promise.race([answered.promise, sleep(ANSWER_TIMEOUT_MS, 'late', { ref: false })])
}

/** One batch with a tick of all rooms, and an input of every player. */
function ticks(): string[] {
  count++
  return roomIds('arena').map((id, room) => {
    const inputs = Array.from({ length: PER_ROOM }, (_, player) => {
      const nth = count + room + player
      const input = { dx: (nth % 3) - 1, dy: ((nth >> 2) % 3) - 1 }
      return ['in', `player-${player}`, count, 'move', input]
    })
    return turn(id, [...inputs, ['tick', count]])
  })
}

function question(): string[] {
  const id = roomIds('quiz')[count++ % ROOMS] ?? ''
  return [turn(id, [['ask', count, 'player-0', null, 'answer', { choice: count & 3 }]])]
}

/** CPU time is that of workerd: this process only imitates the service. */
async function measure(
  ms: number,
  everyMs: number,
  turnsEach: number,
  batchOf: () => string[],
): Promise<Metrics> {
  const tookMs: number[] = []
  const before = cpuMs(pid)
  const startedAt = performance.now()
  for (let dueAt = startedAt; dueAt < startedAt + ms; dueAt += everyMs) {
    const batch = batchOf()
    await sleep(Math.max(0, dueAt - performance.now()))
    const sentAt = performance.now()
    await send(batch)
    tookMs.push(performance.now() - sentAt)
  }
  tookMs.sort((a, b) => a - b)
  return {
    workerdCpuMicros: ((cpuMs(pid) - before) * 1_000) / (tookMs.length * turnsEach),
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
  }
}
