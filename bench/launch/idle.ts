import { setTimeout as sleep } from 'node:timers/promises'

import { openSocket } from '../realtime/websocket.ts'
import { call, newProject } from '../targets/service.ts'
import { type Situation, startCloudNodes } from './situation.ts'
import { startSlowProxy } from './slow-proxy.ts'

const SOCKETS = 1_000
/** All connections are checked once in this time. The clock of the node is moved on, in steps that connections survive. */
const MINUTES = 10
const STEP_MS = 30_000
const PAUSE_MS = 1_000
const GOAL_A_MINUTE = 0.01

/** Players who are connected and do nothing, and how many statements they cost beyond those of the node itself. */
export const idle: Situation = {
  name: 'idle',
  async run(opened, { checkout, scale, log }) {
    let database: Awaited<ReturnType<typeof startSlowProxy>> | undefined
    const settings = { SVC_TEST_CLOCK: 'on' }
    const { nodes } = await startCloudNodes(opened, {
      checkout,
      count: 1,
      settings,
      async databaseVia(url) {
        database = await startSlowProxy(Number(new URL(url).port))
        opened.defer(database.stop)
        return url.replace(/:\d+\//, `:${database.port}/`)
      },
    })
    const [node] = nodes
    if (!node || !database) throw new Error('no node')
    const proxy = database
    const { publishable: key, secret } = await newProject(node.port, 'Idle', 'development')
    const features = { multiplayer: true, realtimeChannels: true }
    await call(node.port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features })
    const count = Math.round(SOCKETS * scale)

    const letPass = () => statementsWhile(proxy, () => minutesPass(MINUTES, node.port, secret))
    const alone = await letPass()
    let lost = 0
    for (let i = 0; i < count; i++) await connect(node.port, key, () => lost++)
    // What the sign-ins left to write, and the first check.
    await minutesPass(2, node.port, secret)
    const withSockets = await letPass()
    if (lost > 0) throw new Error(`${lost} of ${count} sockets were lost`)
    log(`${alone} statements in ${MINUTES} minutes without sockets, ${withSockets} with ${count}`)
    const each = Math.max(0, withSockets - alone) / MINUTES / count
    return [
      {
        what: `${count} idle sockets: statements of each a minute`,
        measured: each.toFixed(4),
        goal: `≤ ${GOAL_A_MINUTE}`,
        isMet: each <= GOAL_A_MINUTE,
      },
    ]
  },
}

type Proxy = Awaited<ReturnType<typeof startSlowProxy>>

async function statementsWhile(proxy: Proxy, work: () => Promise<void>): Promise<number> {
  const before = proxy.statements
  await work()
  return proxy.statements - before
}

async function minutesPass(minutes: number, port: number, secret: string) {
  for (let ms = 0; ms < minutes * 60_000; ms += STEP_MS) {
    await call(port, 'POST', '/v1/dev/clock', { 'x-svc-key': secret }, { advanceMs: STEP_MS })
    await sleep(PAUSE_MS)
  }
}

async function connect(port: number, key: string, onClose: () => void): Promise<void> {
  const guest = { 'x-svc-key': key }
  const { accessToken: token } = await call<{ accessToken: string }>(
    port,
    'POST',
    '/v1/auth/guest',
    guest,
    {},
  )
  const { promise, resolve } = Promise.withResolvers<void>()
  const received = (payload: Buffer) => payload.includes('"welcome"') && resolve()
  const socket = await openSocket(port, '/v1/realtime', received, undefined, onClose)
  socket.send(JSON.stringify({ t: 'auth', key, token }))
  await promise
}
