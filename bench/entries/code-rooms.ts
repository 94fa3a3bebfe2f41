import { chmodSync } from 'node:fs'

import { lazy } from '../../packages/server/src/platform/memory/lazy.ts'
import type { Entry, Goal, Line } from '../harness.ts'
import type { Metrics } from '../metrics.ts'
import { descendantsOf, privateMb, rssMb } from '../process-stats.ts'
import { freshFolder, startScript } from '../processes.ts'
import {
  COLYSEUS_INPUTS,
  COLYSEUS_MESSAGES,
  type Gamers,
  type GameTarget,
  perTurn,
  type Session,
  startColyseusGames,
  startGamers,
  startGames,
} from '../targets/games.ts'
import type { RoomEngineTask } from '../targets/room-engine.ts'

const PER_ROOM = 8
const PER_SECOND = 20
/** All entries but the last ones run on the same servers, and warm them up together. */
const WARM_UP_MS = 2_000
const BASELINES = [COLYSEUS_INPUTS, COLYSEUS_MESSAGES]

const NOTHING_LOST: Goal[] = [
  { number: 10, metric: 'lost', atMost: 0 },
  { number: 10, metric: 'outOfOrder', atMost: 0 },
]
const BESIDE_COLYSEUS: Goal[] = BASELINES.map((baseline) => ({ number: 10, baseline, atMost: 0.7 }))
const ASK_GOALS: Goal[] = [
  { number: 10, metric: 'p50Ms', atMost: 1 },
  { number: 10, metric: 'p99Ms', atMost: 5 },
  { number: 10, metric: 'lost', atMost: 0 },
]
const WORKERD: Goal = { number: 10, metric: 'workerdCpuMicros', atMost: 40 }
const NOT_LATE: Goal = { number: 10, metric: 'latePercent', atMost: 1 }

/** Rooms whose code runs on the server: the same game on the service and, with `--peers`, on Colyseus. */
export async function codeRoomEntries(opened: AsyncDisposableStack, withPeers: boolean): Promise<Entry[]> {
  const service = await startGames(opened)
  const targets = [service, ...(withPeers ? await startColyseusGames(opened) : [])]
  const sides = targets.map((target) => ({ target, gamers: startGamers(opened, target) }))
  const [ours] = sides
  if (!ours) return []

  return [
    ...[10, 20, 50].map((rooms) =>
      gameEntry(sides, { game: 'arena', rooms, perRoom: PER_ROOM, perSecond: PER_SECOND }, [
        ...BESIDE_COLYSEUS,
        ...NOTHING_LOST,
        ...(rooms === 50 ? [WORKERD] : []),
      ]),
    ),
    {
      ...gameEntry(
        sides,
        { game: 'arena', rooms: 20, perRoom: PER_ROOM, perSecond: PER_SECOND, inStep: true },
        [...BESIDE_COLYSEUS, ...NOTHING_LOST],
      ),
      name: 'rooms with code, 20 in step',
      about: '20 rooms of 8; all players send their inputs at the same time.',
    },
    gameEntry(sides, { game: 'arena', rooms: 100, perRoom: PER_ROOM, perSecond: PER_SECOND }, [
      NOT_LATE,
      ...NOTHING_LOST,
    ]),
    partsEntry(ours.gamers),
    askEntry(sides),
    batchEntry(opened),
    memoryEntry(opened),
  ]
}

type Side = { target: GameTarget; gamers: Gamers }

const gameEntry = (sides: readonly Side[], session: Session, goals: Goal[]): Entry => ({
  name: `rooms with code, ${session.rooms}`,
  about: `${session.rooms} rooms of ${session.perRoom}; 20 ticks a second, ${session.perSecond} inputs a second of every player. Per turn of a room, with all its inputs and deliveries; all processes of the server.`,
  comparedMetric: 'cpuMicros',
  baselines: BASELINES,
  warmUpMs: WARM_UP_MS,
  lines: sides.map(({ target, gamers }, i) => ({
    name: target.name,
    measure: async (ms) => perTurn(session, await gamers.measure(session, ms)),
    goals: i === 0 ? goals : [],
  })),
})

/** Microseconds per turn of a room, and what a turn has. */
type TurnCost = { service: number; workerd: number; inputs: number; players: number }

/** Differences between sessions of the same round. The first line measures them. */
function partsEntry({ measure }: Gamers): Entry {
  const rooms = 50
  let [alone, still, moving, busy]: TurnCost[] = []

  async function costOf(perRoom: number, perSecond: number, ms: number): Promise<TurnCost> {
    const { serverMs, childrenMs, turns, sent } = await measure(
      { game: 'arena', rooms, perRoom, perSecond },
      ms,
    )
    return {
      service: (serverMs * 1_000) / turns,
      workerd: (childrenMs * 1_000) / turns,
      inputs: sent / turns,
      players: perRoom,
    }
  }

  return {
    name: 'rooms with code, parts',
    about:
      'What the parts of a turn cost, as differences between 50 rooms of 8 whose players send 40, 20 and 0 inputs a second, and 50 rooms of 1. An input includes the read of the socket. Without inputs the deliveries are smaller.',
    comparedMetric: 'cpuMicros',
    baselines: [],
    warmUpMs: WARM_UP_MS,
    lines: [
      {
        name: 'an input',
        async measure(ms) {
          alone = await costOf(1, 0, ms)
          still = await costOf(PER_ROOM, 0, ms)
          moving = await costOf(PER_ROOM, PER_SECOND, ms)
          busy = await costOf(PER_ROOM, 2 * PER_SECOND, ms)
          return partOf(busy, moving, 'inputs')
        },
        goals: [{ number: 10, metric: 'serviceCpuMicros', atMost: 8 }],
      },
      {
        name: 'a delivery',
        measure: () => Promise.resolve(partOf(still, alone, 'players')),
      },
      {
        name: 'a turn without inputs and deliveries',
        measure: () => Promise.resolve(restOf(alone, partOf(still, alone, 'players'))),
        goals: [{ number: 10, metric: 'serviceCpuMicros', atMost: 25 }],
      },
    ],
  }
}

/** What one more of `what` costs. */
function partOf(more: TurnCost | undefined, less: TurnCost | undefined, what: 'inputs' | 'players'): Metrics {
  if (!more || !less) return {}
  const each = (of: 'service' | 'workerd') => (more[of] - less[of]) / (more[what] - less[what])
  return partMetrics(each('service'), each('workerd'))
}

/** A turn of a room with one player, without its delivery. */
const restOf = (
  turn: TurnCost | undefined,
  { serviceCpuMicros = 0, workerdCpuMicros = 0 }: Metrics,
): Metrics => (turn ? partMetrics(turn.service - serviceCpuMicros, turn.workerd - workerdCpuMicros) : {})

const partMetrics = (service: number, workerd: number): Metrics => ({
  cpuMicros: service + workerd,
  serviceCpuMicros: service,
  workerdCpuMicros: workerd,
})

/** Rooms without ticks. */
function askEntry(sides: readonly Side[]): Entry {
  const session: Session = { game: 'quiz', rooms: 50, perRoom: 4, perSecond: 5 }
  return {
    name: 'rooms with code, ask',
    about:
      '50 rooms of 4 with a tick rate of 0. Every player asks 5 times a second for an answer, which changes the state for all four. From the question to its answer; CPU time per question, deliveries included. Colyseus sends changes 20 times a second.',
    comparedMetric: 'cpuMicros',
    baselines: [COLYSEUS_MESSAGES],
    lines: sides
      .filter(({ target }) => target.name !== COLYSEUS_INPUTS)
      .map(({ target, gamers }, i) => ({
        name: target.name,
        async measure(ms) {
          const { serverMs, childrenMs, sent, lastedMs, p50Ms, p99Ms, lost } = await gamers.measure(
            session,
            ms,
          )
          return {
            cpuMicros: ((serverMs + childrenMs) * 1_000) / sent,
            ...(childrenMs > 0 && {
              serviceCpuMicros: (serverMs * 1_000) / sent,
              workerdCpuMicros: (childrenMs * 1_000) / sent,
            }),
            perSecond: (sent * 1_000) / lastedMs,
            p50Ms,
            p99Ms,
            lost,
          }
        },
        goals: i === 0 ? ASK_GOALS : [],
      })),
  }
}

/** The stream to a process of rooms, without the service around it. */
function batchEntry(opened: AsyncDisposableStack): Entry {
  const start = lazy(() => {
    const folder = freshFolder()
    // The account of the sandbox must be able to enter it.
    chmodSync(folder, 0o755)
    const script = startScript<RoomEngineTask, Metrics>('targets/room-engine.ts', ['--data', folder])
    opened.defer(script.end)
    return Promise.resolve(script)
  })
  const measure = (what: RoomEngineTask['what']) => async (ms: number) =>
    (await start()).ask({ what, ms }, ms)
  const bounds = (p50Ms: number, p99Ms: number): Goal[] => [
    { number: 10, metric: 'p50Ms', atMost: p50Ms },
    { number: 10, metric: 'p99Ms', atMost: p99Ms },
  ]
  return {
    name: 'rooms with code, batch',
    about:
      'From a batch to its answer, between the engine of functions and its process of rooms: a tick of 50 rooms with an input of each of their 8 players, 20 times a second; one question in one room without ticks, 250 times a second. CPU time of workerd per turn of a room.',
    comparedMetric: 'p50Ms',
    baselines: [],
    lines: [
      { name: 'a tick of 50 rooms', measure: measure('ticks'), goals: bounds(4, 15) },
      { name: 'a question', measure: measure('questions'), goals: bounds(1, 5) },
    ],
  }
}

const MEMORY_ROOMS = 200
/** 40 MB and 60 KB a room, and five times its state of about 200 bytes. */
const MEMORY_MB_MAX = 40 + (MEMORY_ROOMS * (60 + 1)) / 1_000

/** A service of its own, because processes that have run many rooms keep memory. */
function memoryEntry(opened: AsyncDisposableStack): Entry {
  const start = lazy(async () => {
    const target = await startGames(opened)
    return { target, gamers: startGamers(opened, target) }
  })
  const line = (name: string, rooms: number, goals: Goal[]): Line => ({
    name,
    async measure(ms) {
      const { target, gamers } = await start()
      let memory: Metrics = {}
      await gamers.measure({ game: 'arena', rooms, perRoom: 2, perSecond: 5 }, ms, async (play) => {
        const played = await play()
        const largest = Math.max(...descendantsOf(target.pid).map(privateMb))
        memory = { rssMb: rssMb(target.pid), privateMb: largest }
        return played
      })
      return memory
    },
    goals,
  })
  return {
    name: 'rooms with code, memory',
    about:
      'Rooms of 2. RSS of the service; private memory of the process that runs the rooms. The process stays from line to line.',
    comparedMetric: 'privateMb',
    baselines: [],
    warmUpMs: WARM_UP_MS,
    lines: [
      line('1 room', 1, [{ number: 10, metric: 'privateMb', atMost: 40 }]),
      line(`${MEMORY_ROOMS} rooms`, MEMORY_ROOMS, [
        { number: 10, metric: 'privateMb', atMost: MEMORY_MB_MAX },
      ]),
    ],
  }
}
