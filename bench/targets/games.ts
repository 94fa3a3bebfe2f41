import { TICK_RATE } from '../game/arena.ts'
import type { Measured } from '../metrics.ts'
import { descendantsOf, threadsCpuMs } from '../process-stats.ts'
import { type Script, type Server, startScript } from '../processes.ts'
import type { Credentials } from '../realtime/dialects.ts'
import type { Game, GameDialectName, Seat } from '../realtime/game-dialects.ts'
import type { GameResult, GameTask } from '../realtime/game-process.ts'
import { startWithFunctions } from './function-calls.ts'
import { startPeer } from './peer-scripts.ts'
import { fixedCredentials, signInGuests } from './realtime-targets.ts'
import { bundleOfRooms } from './room-bundle.ts'
import { call, newProject, type ServiceOptions } from './service.ts'
import { ON_SQLITE } from './services.ts'

/** A server that runs the games of `../game`, and the process of their players. */
export type GameTarget = {
  name: string
  port: number
  pid: number
  dialect: GameDialectName
  players(count: number): Promise<Credentials[]>
  /** Ticks and late ticks of the live rooms since they were opened. Colyseus does not count them. */
  ticks?(): Promise<{ ticks: number; late: number }>
}

export const COLYSEUS_INPUTS = 'Colyseus, acknowledged inputs'
export const COLYSEUS_MESSAGES = 'Colyseus, messages'

/** Starts the service on embedded engines, and deploys the classes of the games. */
export async function startGames(
  opened: AsyncDisposableStack,
  options: ServiceOptions = {},
): Promise<GameTarget> {
  const service = await startWithFunctions(options)
  opened.defer(service.end)
  return gamesOn(service)
}

export async function gamesOn({ port, pid }: Pick<Server, 'port' | 'pid'>): Promise<GameTarget> {
  const { publishable, secret } = await newProject(port, 'Games')
  const key = { 'x-svc-key': secret }
  await call(port, 'POST', '/v1/admin/functions/enable', key, {})
  const content = (await bundleOfRooms()).toString('base64')
  await call(port, 'POST', '/v1/admin/functions/deployments', key, {
    mainModule: 'index.js',
    modules: [{ name: 'index.js', type: 'esm', content }],
  })
  const modes = [
    { key: 'arena', minPlayers: 1, maxPlayers: 8, room: { class: 'Arena' } },
    { key: 'quiz', minPlayers: 1, maxPlayers: 8, room: { class: 'Quiz' } },
  ]
  await call(port, 'PUT', '/v1/config', key, { features: { multiplayer: true }, multiplayer: { modes } })
  return {
    name: ON_SQLITE,
    port,
    pid,
    dialect: 'svc',
    players: (count) => signInGuests(port, publishable, count),
    async ticks() {
      const { rooms } = await call<LiveView>(port, 'GET', '/v1/admin/realtime', key)
      const sum = (of: (server: LiveServer) => number) =>
        rooms.reduce((total, { server }) => total + (server ? of(server) : 0), 0)
      return { ticks: sum(({ tick }) => tick), late: sum(({ lateTicks }) => lateTicks) }
    },
  }
}

type LiveServer = { tick: number; lateTicks: number }
type LiveView = { rooms: { server?: LiveServer }[] }

/** Both forms of the game run in one process. */
export async function startColyseusGames(opened: AsyncDisposableStack): Promise<GameTarget[]> {
  const peer = await startPeer(opened, 'colyseus-arena.mjs')
  return [
    { ...peer, name: COLYSEUS_INPUTS, dialect: 'colyseusInputs', players: fixedCredentials },
    { ...peer, name: COLYSEUS_MESSAGES, dialect: 'colyseus', players: fixedCredentials },
  ]
}

export type Session = {
  game: Game
  rooms: number
  perRoom: number
  /** Moves or questions of each player. */
  perSecond: number
  inStep?: boolean
}

const JOIN_TIMEOUT_MS = 120_000
const SETTLE_MS = 1_000

/** Runs the work, and something before or after it. */
export type Around = <T>(work: () => Promise<T>) => Promise<T>

export type Gamers = ReturnType<typeof startGamers>

/**
 * The players of one server. They join before each measurement and leave after it, because rooms with ticks cost CPU time even when
 * their players send nothing.
 */
export function startGamers(opened: AsyncDisposableStack, target: GameTarget) {
  const script: Script<GameTask, GameResult> = startScript('realtime/game-process.ts')
  opened.defer(script.end)
  let sessions = 0

  async function join({ game, rooms, perRoom }: Session) {
    const prefix = `session ${++sessions}, room `
    const players = await target.players(rooms * perRoom)
    const seats = players.map((credentials, i): Seat => {
      const room = `${prefix}${Math.floor(i / perRoom)}`
      return { ...credentials, port: target.port, game, room, isFirst: i % perRoom === 0 }
    })
    await script.ask({ type: 'join', dialect: target.dialect, seats }, JOIN_TIMEOUT_MS)
  }

  /** Joins, plays or asks for `ms`, and leaves. `around` is called with the part that is measured. */
  async function measure(
    session: Session,
    ms: number,
    around: Around = (work) => work(),
  ): Promise<GameMeasurement> {
    await join(session)
    const { perSecond, inStep = false } = session
    const task = (ms: number): GameTask =>
      session.game === 'quiz' ? { type: 'ask', ms, perSecond } : { type: 'play', ms, perSecond, inStep }
    await script.ask(task(SETTLE_MS), SETTLE_MS)
    const ticksBefore = await target.ticks?.()
    const children = descendantsOf(target.pid)
    const childrenCpuMs = () => children.reduce((sum, pid) => sum + threadsCpuMs(pid), 0)
    const [serverBefore, childrenBefore] = [threadsCpuMs(target.pid), childrenCpuMs()]
    const result = await around(() => script.ask(task(ms), ms))
    const [serverMs, childrenMs] = [threadsCpuMs(target.pid) - serverBefore, childrenCpuMs() - childrenBefore]
    const ticks = await target.ticks?.()
    await script.ask({ type: 'leave' }, JOIN_TIMEOUT_MS)
    return {
      ...result,
      serverMs,
      childrenMs,
      ...(ticks && ticksBefore && { latePercent: latePercentOf(ticksBefore, ticks) }),
    }
  }
  return { measure }
}

/** `childrenMs`: CPU time of the processes that run the rooms, and of their sandbox. */
export type GameMeasurement = GameResult & { serverMs: number; childrenMs: number; latePercent?: number }

type Ticks = { ticks: number; late: number }

function latePercentOf(before: Ticks, after: Ticks): number {
  const [ticks, late] = [after.ticks - before.ticks, after.late - before.late]
  return (late * 100) / (ticks + late)
}

/** The metrics of a game with ticks, per turn of a room. */
export function perTurn(
  { rooms, perRoom }: Session,
  { turns, serverMs, childrenMs, lastedMs, bytes, lost, outOfOrder, p99Ms, latePercent }: GameMeasurement,
): Measured {
  const due = (rooms * TICK_RATE * lastedMs) / 1_000
  return {
    count: turns,
    cpuMicros: ((serverMs + childrenMs) * 1_000) / turns,
    ...(childrenMs > 0 && {
      serviceCpuMicros: (serverMs * 1_000) / turns,
      workerdCpuMicros: (childrenMs * 1_000) / turns,
    }),
    perSecond: (turns * 1_000) / lastedMs,
    bytesPerPlayer: (bytes * 1_000) / lastedMs / (rooms * perRoom),
    gapP99Ms: p99Ms,
    missingPercent: Math.max(0, (1 - turns / due) * 100),
    ...(latePercent !== undefined && { latePercent }),
    lost,
    outOfOrder,
  }
}
