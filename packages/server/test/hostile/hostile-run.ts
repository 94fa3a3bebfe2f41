import assert from 'node:assert/strict'
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { deploymentOf } from '../../src/testing/deployed-functions.ts'
import { startEndlessServer } from '../../src/testing/endless-server.ts'
import { answerBadly, seededNumbers } from '../../src/testing/hostile-connections.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { descendantsOf, socketsOf } from '../../src/testing/process-counts.ts'
import { startRawServer } from '../../src/testing/raw-servers.ts'
import { modulesWithRooms } from '../../src/testing/room-code.ts'
import { callerOf, type CallServer, setUpCallerOf, startServer } from '../server-process.ts'
import { hostileCode, REFUSED_CODE } from './code.ts'
import type { GameOptions, Latencies } from './game-process.ts'
import { type RoomTarget, startRoomVisitors } from './room-visitors.ts'
import { hostileRooms } from './rooms.ts'
import { startVisitors, type Target } from './visitors.ts'

export type HostileOptions = {
  functions: number
  /** Environments whose rooms run hostile code. */
  rooms: number
  visitors: number
  /** Without hostile functions, before and after. */
  quietSeconds: number
  hostileSeconds: number
  players: number
  seed: number
}
export type HostileReport = {
  statuses: Record<string, number>
  quiet: Latencies[]
  hostile: Latencies
  /** What the service counted: errors that no code has caught. */
  escaped: number
  megabytesMax: number
  /** Hostile frames that were sent to rooms. */
  frames: number
  /** Sockets and processes of the service before any hostile code was deployed, and after all of it was removed. */
  left: { sockets: [before: number, after: number]; processes: [before: number, after: number] }
}

const FUNCTIONS_PER_DEVELOPER = 10
const PAUSE_MS = 50
/** For the end of what hostile code has started, and of unused connections. */
const LEFT_MS_MAX = 120_000

/** One service, one honest game, and many functions that do what they can to disturb it. Fails if the service ends. */
export async function runHostile(
  options: HostileOptions,
  log: (line: string) => void,
): Promise<HostileReport> {
  findOrInstall('bubblewrap')
  await using opened = new AsyncDisposableStack()
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), 'svc-hostile-')), (path) =>
    rm(path, { recursive: true, force: true }),
  )
  await chmod(folder, 0o711)
  const service = await startServer({
    SVC_DATA_DIR: folder,
    SVC_SIGN_UP: 'open',
    SVC_BILLING: 'off',
    LOG_LEVEL: 'fatal',
  })
  let isRunning = true
  void service.ended.then(({ errors }) => {
    isRunning = false
    log(`the service ended: ${errors.slice(-2_000)}`)
  })
  opened.defer(async () => {
    service.signal('SIGTERM')
    await service.ended
  })
  const number = seededNumbers(options.seed)
  const server = await startRawServer({ after: (end) => opened.defer(end) }, (socket) =>
    answerBadly(socket, number),
  )

  const game = await startGame(service.port, options.players)
  opened.defer(game.end)
  await pause(options.quietSeconds * 100)
  await game.report()
  await pause(options.quietSeconds * 1_000)
  const before = await game.report()
  log(`quiet: ${JSON.stringify(before)}`)

  // What the visitors and the broken server need of the CPUs is not part of the service: on other machines it would not be there.
  execFileSync('/usr/bin/chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)])
  const endless = await startEndlessServer()
  opened.defer(endless.stop)
  // Opened by the functions of the game already: the process that starts others, and that of outgoing requests.
  const left = { sockets: socketsOf(service.pid), processes: descendantsOf(service.pid) }
  const projects: Project[] = []
  const targets = await deployAll(
    service.port,
    options.functions,
    hostileCode(server, endless.address),
    number,
    projects,
  )
  log(`${targets.length} hostile functions are deployed`)
  const roomTargets = await deployRooms(service.port, options.rooms, hostileRooms(endless.address), projects)
  log(`${roomTargets.length} classes of hostile rooms are deployed`)
  await game.report()
  const visits = startVisitors(service.port, targets, { visitors: options.visitors, number })
  const players = startRoomVisitors(service.port, roomTargets, { visitors: options.visitors, number })
  let megabytesMax = 0
  for (
    const endsAt = performance.now() + options.hostileSeconds * 1_000;
    performance.now() < endsAt && isRunning;
  ) {
    await pause(1_000)
    megabytesMax = Math.max(megabytesMax, megabytesOf(service.pid))
  }
  const hostile = await game.report()
  log(`beside hostile functions: ${JSON.stringify(hostile)}`)
  await Promise.all([visits.stop(), players.stop()])

  assert.ok(isRunning, 'the service has ended')
  // Processes that hostile visitors started go on for a while.
  await pause(options.quietSeconds * 1_000)
  await game.report()
  await pause(options.quietSeconds * 1_000)
  const after = await game.report()
  log(`quiet again: ${JSON.stringify(after)}`)
  const setUp = setUpCallerOf({ port: service.port })
  for (const { id, token } of projects) await setUp('DELETE', `/v1/projects/${id}`, { token })
  const isLeft = () => socketsOf(service.pid) > left.sockets || descendantsOf(service.pid) > left.processes
  await comesTrue('sockets and processes are as before', () => !isLeft(), LEFT_MS_MAX).catch((error: Error) =>
    log(error.message),
  )
  const sockets: [number, number] = [left.sockets, socketsOf(service.pid)]
  const processes: [number, number] = [left.processes, descendantsOf(service.pid)]
  return {
    frames: players.frames(),
    left: { sockets, processes },
    statuses: Object.fromEntries(visits.statuses),
    quiet: [before, after],
    hostile,
    escaped: await escapedErrors(service.port),
    megabytesMax,
  }
}

type Project = Awaited<ReturnType<typeof newProject>>

async function newProject(call: CallServer, email: string, name: string, known?: string) {
  const account = { email, password: 'correct horse' }
  const token = known ?? (await call('POST', '/v1/developers/signup', { body: account })).body.token
  const { body } = await call('POST', '/v1/projects', { token, body: { name } })
  const keyOf = (type: string) =>
    body.keys.find(
      (key: { environment: string; type: string }) => key.environment === 'development' && key.type === type,
    ).key as string
  return {
    id: body.project.id as string,
    token: token as string,
    secretKey: keyOf('secret'),
    publishableKey: keyOf('publishable'),
  }
}

async function startGame(port: number, players: number) {
  const call = setUpCallerOf({ port })
  const { secretKey: key, publishableKey } = await newProject(call, 'honest@example.com', 'Honest Game')
  await call('PUT', '/v1/config', { key, body: { features: { saves: true, multiplayer: true } } })
  const url = await deploy(callerOf({ port }), key, `export default { fetch: () => new Response('hello') }`)
  const options: GameOptions = { port, publishableKey, host: new URL(url).host, players, pauseMs: PAUSE_MS }
  const child = fork(join(import.meta.dirname, 'game-process.ts'), [JSON.stringify(options)], {
    execArgv: ['--conditions=source'],
  })
  return {
    async report(): Promise<Latencies> {
      child.send('report')
      const [latencies] = (await once(child, 'message')) as [Latencies]
      return latencies
    },
    end: () => void child.kill(),
  }
}

async function deploy(
  call: CallServer,
  key: string,
  source: Parameters<typeof deploymentOf>[0],
  rest: object = {},
): Promise<string> {
  const enabled = await call('POST', '/v1/admin/functions/enable', { key, body: {} })
  assert.equal(enabled.status, 200, JSON.stringify(enabled.body))
  const { status, body } = await call('POST', '/v1/admin/functions/deployments', {
    key,
    body: deploymentOf(source, rest),
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.url as string
}

async function deployAll(
  port: number,
  count: number,
  kinds: ReturnType<typeof hostileCode>,
  number: (below: number) => number,
  projects: Project[],
): Promise<Target[]> {
  const setUp = setUpCallerOf({ port })
  const call = callerOf({ port })
  const targets: Target[] = []
  let token: string | undefined
  const first = number(kinds.length)
  for (let at = 0; at < count; at++) {
    if (at % FUNCTIONS_PER_DEVELOPER === 0) token = undefined
    const project = await newProject(setUp, `hostile${at}@example.com`, `Hostile ${at}`, token)
    token = project.token
    projects.push(project)
    const key = project.secretKey
    const { name, source, bindings, crons } = kinds[(first + at) % kinds.length] ?? assert.fail()
    const rest = { ...(bindings && { bindings }), ...(crons && { crons }) }
    const url = await deploy(call, key, source, rest)
    targets.push({
      name,
      host: new URL(url).host,
      async deploy() {
        const refused = REFUSED_CODE[number(REFUSED_CODE.length * 2)]
        const body = deploymentOf(refused ?? source, refused === undefined ? rest : {})
        return (await call('POST', '/v1/admin/functions/deployments', { key, body })).status
      },
    })
  }
  return targets
}

async function deployRooms(
  port: number,
  count: number,
  kinds: ReturnType<typeof hostileRooms>,
  projects: Project[],
): Promise<RoomTarget[]> {
  const setUp = setUpCallerOf({ port })
  const targets: RoomTarget[] = []
  for (let at = 0; at < count; at++) {
    const { name, source } = kinds[at % kinds.length] ?? assert.fail()
    const project = await newProject(setUp, `rooms${at}@example.com`, `Rooms ${at}`)
    projects.push(project)
    const { secretKey: key, publishableKey } = project
    const mode = { key: 'default', room: { class: 'Hostile' } }
    const config = { features: { multiplayer: true }, multiplayer: { modes: [mode] } }
    await setUp('PUT', '/v1/config', { key, body: config })
    await deploy(callerOf({ port }), key, modulesWithRooms(source))
    targets.push({ name, publishableKey })
  }
  return targets
}

async function escapedErrors(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return [...metrics.matchAll(/^svc_escaped_errors_total\S* (\d+)/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  )
}

const megabytesOf = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024
