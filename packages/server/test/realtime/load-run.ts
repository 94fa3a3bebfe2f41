import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type ServerProcess, startServer } from '../server-process.ts'
import type { Order, Setup } from './client-process.ts'
import type { DeliveryCounts } from './clients.ts'
import { newGameServer } from './game-server.ts'

export const CONFIG = {
  features: { multiplayer: true, realtimeChannels: true },
  multiplayer: { modes: [{ key: 'default', minPlayers: 2, maxPlayers: 8 }] },
}

/** In addition to the time that an order says. */
const ORDER_TIMEOUT_MS = 600_000

/** Runs a server program on embedded engines until `work` is done. */
export async function withServer<T>(
  variables: Record<string, string>,
  work: (server: ServerProcess, restart: () => Promise<ServerProcess>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-load-'))
  // Tokens contain the base URL, so it must stay the same after a restart on another port.
  const start = () =>
    startServer({ SVC_DATA_DIR: folder, SVC_BASE_URL: 'http://game.localhost', ...variables })
  let server = await start()
  try {
    return await work(server, async () => (server = await start()))
  } finally {
    server.signal('SIGKILL')
    await server.ended
    await rm(folder, { recursive: true, force: true })
  }
}

/** Resident memory of a process. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024)
}

/** Starts load clients in another process. */
export async function startClients(setup: Setup) {
  const child = fork(join(import.meta.dirname, 'client-process.ts'), [JSON.stringify(setup)], {
    execArgv: ['--conditions=source'],
  })
  return {
    async order(what: Order): Promise<DeliveryCounts | number> {
      const timeoutMs = ORDER_TIMEOUT_MS + ('seconds' in what ? what.seconds * 1_000 : 0)
      const answered = once(child, 'message', { signal: AbortSignal.timeout(timeoutMs) })
      child.send(what)
      const [{ answer, problem }] = (await answered) as [
        { answer: DeliveryCounts | number; problem?: string },
      ]
      if (problem !== undefined) throw new Error(problem)
      return answer
    },
    async end() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

export type LoadOptions = { idle: number; active: number; seconds: number; log?: (line: string) => void }
export type LoadReport = DeliveryCounts & { residentMiB: Record<string, number> }

/** Connects idle sockets and rooms of four to one server program. The clients run in separate processes. */
export const load = ({ idle, active, seconds, log = () => {} }: LoadOptions): Promise<LoadReport> =>
  withServer({ SVC_RATE_LIMITS: 'off' }, async (server) => {
    const report: LoadReport['residentMiB'] = {}
    const measure = async (when: string) => {
      report[when] = await residentMiB(server.pid)
      log(`${when}: ${report[when]} MiB`)
    }
    await measure('started')
    const { publishableKey, secretKey } = await newGameServer(server, CONFIG)
    const setup = { port: server.port, publishableKey, secretKey }
    const [idleClients, players] = await Promise.all([startClients(setup), startClients(setup)])
    try {
      const steps = [Math.min(3_000, idle), idle].filter((count, i, all) => i === 0 || count > (all[0] ?? 0))
      for (const [i, count] of steps.entries()) {
        await idleClients.order({ do: 'gather', count: count - (i > 0 ? (steps[0] ?? 0) : 0) })
        await measure(`${count} idle`)
      }
      await players.order({ do: 'gather', count: active })
      await players.order({ do: 'sitDown' })
      await measure(`${active} more in rooms`)
      const counts = (await players.order({ do: 'play', seconds })) as DeliveryCounts
      await measure(`after ${seconds} s of messages`)
      return { ...counts, residentMiB: report }
    } finally {
      await Promise.all([idleClients.end(), players.end()])
    }
  })
