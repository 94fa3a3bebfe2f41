import type { Resolver } from 'node:dns/promises'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { ApiError } from '../../../platform/api-error.ts'
import { MINUTE_MS } from '../../../platform/clock.ts'
import { setBounded } from '../../../platform/memory/bounded-map.ts'
import { lazy } from '../../../platform/memory/lazy.ts'
import { single } from '../../../platform/metrics/metrics.ts'
import { createResolver } from '../../../platform/network/outbound.ts'
import type {
  FunctionsEngine,
  FunctionsSpec,
  SandboxLevel,
} from '../../../platform/ports/functions-engine.ts'
import type { RoomProcessSpec } from '../../../platform/ports/room-process.ts'
import type { FunctionsOptions, FunctionsSettings } from '../functions.ts'
import { nextAlarmMs } from './data/alarms.ts'
import { bytesOf } from './data/stored-bytes.ts'
import type { EnvironmentProcess } from './environment-process.ts'
import { createFunctionsCounts, createUsageCount } from './limits/usage-count.ts'
import { createLogs, type Logs } from './logs/logs.ts'
import { bodiesPrefix } from './network/file-bodies.ts'
import { type Binary, findBinary } from './process/binary.ts'
import { dataFolderOf, folderOf, openRoot, removeLeftovers } from './process/folders.ts'
import { createProcessLimit } from './process/process-limit.ts'
import { probeSandbox, type Sandbox } from './process/sandbox.ts'
import { createTrials } from './process/trials.ts'
import type { RoomProcesses } from './rooms/room-processes.ts'

/** Tests make time short and answer DNS themselves. */
export type Tuning = {
  idleMs?: number
  waitMs?: number
  heldMs?: number
  cronCpuMs?: number
  queryMs?: number
  storageCheckMs?: number
  resolver?: Resolver
  level?: Sandbox['level']
}

/** Environments without processes whose newest lines stay in memory. */
const LOGS_MAX = 32

type Ready = { program: string; sandbox: Sandbox }

/** The driver of workerd: one process per environment, in the best sandbox that this machine has. */
export function openWorkerd(
  settings: FunctionsSettings,
  { clock, blobs }: FunctionsOptions,
  tuning: Tuning = {},
): FunctionsEngine & { pids(): number[] } {
  const { folder: root, processesMax } = settings
  const binary = findBinary()
  const processes = new Set<EnvironmentProcess>()
  const logs = new Map<string, Logs>()
  /** Logs of environments that have processes: never forgotten, because they are still written. */
  const logsInUse = new Map<string, { logs: Logs; users: number }>()
  const resolver = tuning.resolver ?? createResolver()
  const limit = createProcessLimit(processesMax, processes)
  const trials = createTrials()
  const counts = createFunctionsCounts()
  const rooms = lazy(async () => {
    const { createRoomProcesses } = await import('./rooms/room-processes.ts')
    return (openRooms = createRoomProcesses({ limit, resolver, starts: counts.starts, useLogs }))
  })
  let openRooms: RoomProcesses | undefined
  const pids = () => [...[...processes].flatMap(({ pid }) => pid ?? []), ...(openRooms?.pids() ?? [])]

  const ready = lazy(async (): Promise<Ready | { reason: string }> => {
    if (!binary) return { reason: `there is no functions engine for ${process.platform} ${process.arch}` }
    await openRoot(root)
    const [sandbox] = await Promise.all([sandboxOf(binary), removeLeftovers()])
    if (settings.sandbox === 'required' && sandbox.level !== 'bubblewrap')
      return { reason: 'bubblewrap is not installed, or may not create namespaces here' }
    return { program: binary.path, sandbox }
  })

  const sandboxOf = async ({ path }: Binary): Promise<Sandbox> => {
    const best = await probeSandbox(path, root)
    return tuning.level
      ? { ...best, level: tuning.level, user: tuning.level === 'plain' ? undefined : best.user }
      : best
  }

  async function requireReady(): Promise<Ready> {
    const found = await ready()
    if ('reason' in found) throw new ApiError('feature_unavailable', { reason: found.reason })
    return found
  }

  function logsOf(dataId: string): Logs {
    const used = logsInUse.get(dataId)
    if (used) return used.logs
    const known = logs.get(dataId) ?? createLogs(join(folderOf(root, dataId), 'logs'), clock)
    setBounded(logs, dataId, known, LOGS_MAX)
    return known
  }

  function useLogs(dataId: string) {
    const used = logsInUse.get(dataId) ?? { logs: logsOf(dataId), users: 0 }
    used.users++
    logsInUse.set(dataId, used)
    const release = () => {
      if (--used.users > 0) return
      // It was purged meanwhile.
      if (logsInUse.get(dataId) !== used) return
      logsInUse.delete(dataId)
      setBounded(logs, dataId, used.logs, LOGS_MAX)
    }
    return { logs: used.logs, release }
  }

  return {
    compatibilityDate: binary?.compatibilityDate ?? '',
    pids,
    metrics: [single('svc_functions_processes', () => pids().length), ...Object.values(counts)],

    async level(): Promise<SandboxLevel> {
      const found = await ready()
      if ('reason' in found) return { level: 'none', reason: found.reason }
      const { level, user } = found.sandbox
      return { level, account: user ? 'own' : 'service' }
    },

    async start(spec: FunctionsSpec) {
      const found = await requireReady()
      const { createEnvironment } = await import('./environment.ts')
      const { EnvironmentProcess } = await import('./environment-process.ts')
      const ownLogs = useLogs(spec.dataId)
      const usage = createUsageCount(counts)
      const process = new EnvironmentProcess(spec, usage, {
        ...found,
        ...tuning,
        root,
        blobs,
        resolver,
        storageBytesMax: settings.storageBytesMax,
        storageCheckMs: tuning.storageCheckMs ?? MINUTE_MS,
        logs: ownLogs.logs,
        starts: counts.starts,
        reserve: () => limit.reserve(spec.developerId),
        release: () => limit.release(spec.developerId),
        onStopped(stopped) {
          if (processes.delete(stopped)) ownLogs.release()
        },
      })
      processes.add(process)
      return createEnvironment(process, usage, tuning)
    },

    async startRooms(spec: RoomProcessSpec) {
      const found = await requireReady()
      return (await rooms()).start(spec, found)
    },

    async trial(spec: FunctionsSpec) {
      const { program, sandbox } = await requireReady()
      const { tryCode } = await import('./process/trial.ts')
      return trials.run(spec, () => tryCode(spec, program, sandbox))
    },

    storedBytes: (dataId, resources) =>
      Promise.all(resources.map((resource) => bytesOf(dataFolderOf(root, dataId), resource))),

    async nextWakeAt(dataId) {
      const ms = nextAlarmMs(dataFolderOf(root, dataId))
      return ms === undefined ? null : new Date(ms)
    },

    readLogs: (dataId, options) => logsOf(dataId).read(options),
    addLogs: (dataId, lines) => lines.forEach(logsOf(dataId).add),

    async purge(dataId) {
      await logsOf(dataId).close()
      logs.delete(dataId)
      logsInUse.delete(dataId)
      for await (const key of blobs.list(bodiesPrefix(dataId))) await blobs.remove(key)
      await rm(folderOf(root, dataId), { recursive: true, force: true })
    },

    async close(drainMs = 0) {
      await Promise.all([...[...processes].map((process) => process.stop(drainMs)), openRooms?.close()])
      processes.clear()
      await Promise.all([...logs.values()].map((one) => one.close()))
    },
  }
}
