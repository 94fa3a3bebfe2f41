import type { Resolver } from 'node:dns/promises'

import { ApiError } from '../../../../platform/api-error.ts'
import { inNameOf } from '../../../../platform/error-source.ts'
import { setBounded } from '../../../../platform/memory/bounded-map.ts'
import type { Counts } from '../../../../platform/metrics/metrics.ts'
import type { RoomProcess, RoomProcessSpec } from '../../../../platform/ports/room-process.ts'
import type { Logs } from '../logs/logs.ts'
import { Crashes } from '../process/crashes.ts'
import type { createProcessLimit } from '../process/process-limit.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { StartError } from '../process/start-error.ts'
import { type LiveRooms, startRoomProcess } from './room-process.ts'

/** Environments whose failed starts are remembered. */
const FAILURES_MAX = 1_000

type RoomProcessesOptions = {
  limit: ReturnType<typeof createProcessLimit>
  resolver: Resolver
  starts: Counts
  /** The log of an environment, until the function that it comes with is called. */
  useLogs(dataId: string): { logs: Logs; release(): void }
}

export type RoomProcesses = ReturnType<typeof createRoomProcesses>

/** The processes of rooms of this node. */
export function createRoomProcesses({ limit, resolver, starts, useLogs }: RoomProcessesOptions) {
  const running = new Set<LiveRooms>()
  /** By environment: code that does not start is started rarely. */
  const failures = new Map<string, Crashes>()
  let isClosed = false

  async function startNow(
    spec: RoomProcessSpec,
    { program, sandbox }: { program: string; sandbox: Sandbox },
  ): Promise<LiveRooms> {
    const { code } = spec
    if (!code) throw new ApiError('functions_unavailable')
    const { logs, release } = useLogs(spec.dataId)
    const end = () => {
      release()
      limit.release(spec.developerId)
    }
    let live: LiveRooms | undefined
    const source = { environmentId: spec.environmentId, end: () => void live?.stop() }
    try {
      const options = { program, sandbox, resolver, onLine: spec.onLine ?? logs.add }
      live = await inNameOf(source, () => startRoomProcess({ ...spec, code }, options))
      const started = live
      running.add(started)
      void started.ended.then(() => {
        running.delete(started)
        end()
      })
      return started
    } catch (error) {
      end()
      throw error
    }
  }

  return {
    pids: () => [...running].map(({ pid }) => pid),

    async start(spec: RoomProcessSpec, ready: { program: string; sandbox: Sandbox }): Promise<RoomProcess> {
      const crashes = failures.get(spec.environmentId) ?? new Crashes()
      crashes.assertMayStart()
      await limit.reserve(spec.developerId)
      try {
        const live = await startNow(spec, ready)
        starts.add('started')
        if (!isClosed) return live
        await live.stop()
        throw new ApiError('functions_unavailable')
      } catch (error) {
        if (!(error instanceof StartError)) throw error
        starts.add('failed')
        crashes.note()
        setBounded(failures, spec.environmentId, crashes, FAILURES_MAX)
        throw new ApiError('functions_unavailable', undefined, { cause: error })
      }
    },

    async close() {
      isClosed = true
      await Promise.all([...running].map((one) => one.stop()))
    },
  }
}
