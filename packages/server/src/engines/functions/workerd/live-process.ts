import type { Resolver } from 'node:dns/promises'
import type { Duplex } from 'node:stream'

import { LIMITS } from '@svc/contract/common/limits'

import type {
  FunctionRequest,
  FunctionResponse,
  UpgradeRequest,
} from '../../../platform/ports/functions-engine.ts'
import type { StoreBinding } from '../../../platform/ports/room-process.ts'
import { configOf, type ProcessSpec } from './config/config.ts'
import { followAfterWork } from './limits/after-work.ts'
import { type CpuWatch, cpuLimitNs, watchCpu } from './limits/cpu-watch.ts'
import type { CancelCode, WorkInProgress } from './limits/work.ts'
import type { PrintedLine } from './logs/log-lines.ts'
import type { BodyStore } from './network/file-bodies.ts'
import { openServices } from './network/services.ts'
import { createSubRequestCounter } from './network/sub-requests.ts'
import { isAsleep } from './process/proc.ts'
import { startProcess, type WorkerdProcess } from './process/process.ts'
import type { Sandbox } from './process/sandbox.ts'
import { type CallLimits, createOwnCalls, sendCall } from './requests/calls.ts'
import { callControl, pingControl } from './requests/control.ts'
import { HttpClient } from './requests/http-client/http-client.ts'
import { createOpenSockets } from './requests/open-sockets.ts'
import { createRequestQueue } from './requests/request-queue.ts'
import { forStore, sendRequest } from './requests/requests.ts'
import { NotSentError, type SendOptions } from './requests/sent-work.ts'
import { sendUpgrade } from './requests/upgrades.ts'

const START_TIMEOUT_MS = 10_000
const KILL_AFTER_MS = 300
/** How long a closed connection waits for the end of its process, which gives the reason. */
const REASON_WAIT_MS = 250
const DRAIN_CHECK_MS = 5
/** If nothing came out of a process for this time, and it does not sleep, its event loop may not turn. */
const TURNED_MS = 10
/** workerd closes a connection that is unused for five seconds: we close it before. */
const UNUSED_MS = 4_000
const UNUSED_CHECK_MS = 250
const ANSWER_TIMEOUT_MS = LIMITS.functionsAnswerTimeoutMs
const COLLECT_TIMEOUT_MS = 10_000
const COUNTS_TIMEOUT_MS = 5_000
/** How long a process that is replaced may still answer. */
const RETIRE_MS = 5_000

export type LiveOptions = {
  spec: ProcessSpec
  program: string
  sandbox: Sandbox
  root: string
  isFull: boolean
  blobs: BodyStore
  resolver: Resolver
  onLine(line: PrintedLine): void
  addEgressBytes(bytes: number): void
  addEgressCpuMs(ms: number): void
  /** Whether an alarm is due, or being handled. */
  isAlarmDue(): boolean
  /** Called every 25 ms while there is work, otherwise every 500 ms. */
  onTick(quietMs: number): void
}

export type LiveProcess = Awaited<ReturnType<typeof startLive>>

/** A process with everything around it: its limits, its way out, and the requests that it works on. */
export async function startLive(options: LiveOptions) {
  const { spec, isAlarmDue, onTick, onLine } = options
  const limitNs = cpuLimitNs(spec.limits.cpuMs)
  const work: WorkInProgress = new Map()
  const subRequests = createSubRequestCounter(work, spec.limits.subRequests)
  const sockets = createOpenSockets(subRequests)
  let watch: CpuWatch | undefined
  let endCode: CancelCode | undefined
  let isEnding = false
  /** It gets nothing new, and ends soon. */
  let isRetiring = false
  /** The end was caused by none of the work that was in progress. */
  let isUnknownEnd = false
  /** Calls of the control worker in progress. */
  let calls = 0
  let callNumber = 0

  let turnedAt = performance.now()
  const noteProgress = () => {
    turnedAt = performance.now()
    watch?.noteProgress()
  }
  const live: WorkerdProcess = await startProcess({
    ...options,
    data: { root: options.root, isFull: options.isFull },
    config: (paths) => configOf(spec, paths, options),
    startTimeoutMs: START_TIMEOUT_MS,
    onLine,
    openServices: (folder) => openServices(folder, { ...options, subRequests, noteProgress }),
  })
  const code = new HttpClient(live.httpSocket, UNUSED_MS)
  const control = new HttpClient(live.controlSocket, UNUSED_MS)
  const unusedTimer = setInterval(() => {
    code.closeUnused()
    control.closeUnused()
  }, UNUSED_CHECK_MS).unref()
  const queue = createRequestQueue(() => isAsleep(live.pid))

  watch = watchCpu({
    pid: live.pid,
    work,
    takeTraffic: sockets.takeTraffic,
    isAlarmDue,
    async ping() {
      const counts = await pingControl(control)
      turnedAt = performance.now()
      return counts
    },
    collect: () => callControl(control, 'collect', {}, COLLECT_TIMEOUT_MS),
    onHold(isHeld) {
      sockets.hold(isHeld)
      queue.hold(isHeld)
    },
    onExceeded: kill,
    onUnknownExceeded: () => retire('cpu_limit_exceeded'),
    onTick,
  })
  const ownCalls = createOwnCalls(control, spec, watch.noteOwnCall)
  const after = followAfterWork({
    work,
    poll: ownCalls.readContinued,
    onExceeded: () => retire('cpu_limit_exceeded'),
  })
  const ended = live.ended.then(() => {
    isUnknownEnd ||= !isEnding && (work.size === 0 || watch.isDelivering())
    isEnding = true
    queue.close()
    watch.stop()
    after.stop()
    clearInterval(unusedTimer)
    code.close()
    control.close()
    cancelAll(reason())
    sockets.close()
  })

  function reason(): CancelCode {
    if (isUnknownEnd || watch?.isDelivering()) return 'function_restarted'
    return endCode ?? (live.hasRunOutOfMemory() ? 'memory_limit_exceeded' : 'function_failed')
  }

  function cancelAll(code: CancelCode) {
    for (const one of work.values()) one.cancel(code)
  }

  /** A single request caused it; of several requests, any may be the cause. */
  function kill(code: CancelCode, isUnknown = false) {
    if (isEnding) return
    isEnding = true
    endCode = code
    const causes = [...work.values()].filter((one) => !one.mayHaveEnded)
    isUnknownEnd = isUnknown || causes.length === 0
    queue.close()
    cancelAll(causes.length === 1 && !isUnknown ? code : 'function_restarted')
    after.stop()
    onLine({ level: 'error', message: `${code}: the process was ended.`, requestId: null })
    watch?.readCpu()
    live.kill('SIGKILL')
  }

  /** Ends the process when it has answered its requests: what must end is none of them. */
  function retire(code: CancelCode) {
    if (isEnding || isRetiring) return
    isRetiring = true
    queue.close()
    const endsAt = performance.now() + RETIRE_MS
    const isAnswering = () => [...work.values()].some((one) => !one.isAfterAnswer)
    const check = () => {
      if (isAnswering() && performance.now() < endsAt) setTimeout(check, DRAIN_CHECK_MS)
      else kill(code, true)
    }
    check()
  }

  /** A connection breaks shortly before the end of its process is known. Undefined: the process lives. */
  async function failureOf(): Promise<CancelCode | undefined> {
    await Promise.race([live.ended, new Promise((resolve) => setTimeout(resolve, REASON_WAIT_MS).unref())])
    return isEnding ? reason() : undefined
  }

  /** A slot, or undefined if it must wait: what a blocked process has received fails with it. */
  function takeSlot(): number | undefined {
    if (performance.now() - turnedAt < TURNED_MS || isAsleep(live.pid)) return queue.take()
    watch?.probe()
    return undefined
  }

  /** Sends something when the process can have it: immediately, or when `queue` has a slot. */
  function sendNext<Result>(
    answerDueAt: number,
    signal: AbortSignal | undefined,
    send: (options: SendOptions) => Promise<Result>,
  ): Promise<Result> {
    const sendWith = (slot: number) => {
      const onEnd = () => queue.release(slot)
      if (isEnding) {
        onEnd()
        throw new NotSentError()
      }
      watch?.noteWork()
      return send({
        work,
        cpuLimitNs: limitNs,
        answerDueAt,
        noteProgress,
        onEnd,
        follow: after.follow,
        failureOf,
      })
    }
    const slot = takeSlot()
    return slot === undefined ? queue.wait(answerDueAt, signal).then(sendWith) : sendWith(slot)
  }

  /** Asks for the rows that were not reported yet. */
  async function readCounts() {
    watch?.noteOwnCall()
    const counts = await pingControl(control, COUNTS_TIMEOUT_MS).catch(() => undefined)
    if (counts) watch?.noteCounts(counts)
  }

  return {
    pid: live.pid,
    ended,
    isEnding: () => isEnding || isRetiring,
    isIdle: () =>
      work.size === 0 && calls === 0 && queue.isEmpty() && sockets.isEmpty() && !watch.isDelivering(),
    /** Why the process was ended; undefined if it ended by itself. */
    endCode: () => endCode,
    /** Whether an alarm, a queue or a WebSocket may be the reason of its end. */
    isUnknownEnd: () => isUnknownEnd,
    takeCpuMs: () => watch.takeCpuMs(),
    takeRows: () => watch.takeRows(),
    kill,

    fetch: (request: FunctionRequest): Promise<FunctionResponse> =>
      sendNext(performance.now() + ANSWER_TIMEOUT_MS, request.signal, (options) =>
        sendRequest(request, code, options),
      ),

    /** Passes a call of a binding of a room on to its store. It is work of the code, with the limit of a query. */
    fetchBinding: (
      binding: StoreBinding,
      request: FunctionRequest,
      cpuLimitNs: number,
    ): Promise<FunctionResponse> =>
      sendNext(performance.now() + ANSWER_TIMEOUT_MS, request.signal, (options) =>
        sendRequest(forStore(binding, request), control, { ...options, cpuLimitNs }),
      ),

    /** Resolves when the upgrade was answered. */
    async upgrade(request: UpgradeRequest, socket: Duplex, head: Buffer) {
      const gone = new AbortController()
      const abort = () => gone.abort()
      socket.once('close', abort)
      try {
        await sendNext(performance.now() + ANSWER_TIMEOUT_MS, gone.signal, (options) =>
          sendUpgrade(request, socket, head, {
            ...options,
            socketPath: live.httpSocket,
            onOpen: (upstream) => sockets.add(request, socket, upstream),
          }),
        )
      } finally {
        socket.off('close', abort)
      }
    },

    /** Calls an operation of the control worker, as work with a limit of CPU time. */
    call<Result>(operation: string, input: object, limits: CallLimits): Promise<Result> {
      return sendNext(performance.now() + limits.timeoutMs, undefined, ({ onEnd: release }) => {
        const id = `${operation} ${++callNumber}`
        const onEnd = () => {
          calls--
          release()
        }
        calls++
        return sendCall<Result>(operation, input, limits, { control, id, work, onEnd, retire })
      })
    },

    resumeQueues: ownCalls.resumeQueues,

    readCounts,

    /** Waits for work in progress, at most `drainMs`, and ends the process. Requests that are left fail with `function_restarted`. */
    async stop(drainMs: number) {
      queue.close()
      if (!isEnding && !isRetiring) await readCounts()
      const endsAt = performance.now() + drainMs
      const isBusy = async () => work.size > 0 || calls > 0 || (await ownCalls.pauseQueues())
      while (!isEnding && performance.now() < endsAt && (await isBusy()))
        await new Promise((resolve) => setTimeout(resolve, DRAIN_CHECK_MS))
      if (isEnding) return ended
      isEnding = true
      endCode = 'function_restarted'
      cancelAll('function_restarted')
      watch.stop()
      watch.readCpu()
      after.stop()
      code.close()
      control.close()
      live.kill('SIGTERM')
      const killTimer = setTimeout(() => live.kill('SIGKILL'), KILL_AFTER_MS)
      await ended
      clearTimeout(killTimer)
    },
  }
}
