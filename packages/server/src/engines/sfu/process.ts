import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { OWN_FILES } from '../../platform/own-files.ts'
import type { DropReason, Sfu, SfuEvents, SfuLoad } from '../../platform/ports/sfu.ts'
import type {
  Admitted,
  ChildSettings,
  Command,
  FromChild,
  Report,
  Request,
  ToChild,
} from './child-messages.ts'
import type { SfuOptions, SfuSettings, SfuTimings } from './sfu.ts'
import { newTraffic } from './traffic.ts'

const TIMINGS: SfuTimings = {
  answerMs: 2 * SECOND_MS,
  silenceMs: 5 * SECOND_MS,
  restartMs: 100,
  restartMaxMs: 5 * SECOND_MS,
  idleMs: 10 * MINUTE_MS,
  busyCpu: 0.85,
  busyMs: 3 * SECOND_MS,
}
const REPORT_MS = SECOND_MS
const LEASE_MS = 6 * SECOND_MS
const WATCH_MS = 500
const START_TIMEOUT_MS = 10 * SECOND_MS

type Waiting = { pending: PromiseWithResolvers<Admitted | null>; timer: NodeJS.Timeout }

/** A started process, until its exit. */
type Running = {
  child: ChildProcess
  ready: Promise<void>
  waiting: Map<number, Waiting>
  /** Since its last message. Counted in checks: while this process is stalled, it cannot hear either. */
  silentMs: number
  report: Report | undefined
  /** Between the last two reports; 1 is one core. */
  cpu: number
  busySinceMs: number | undefined
  idleSinceMs: number | undefined
}

/** The relay server as a child process: started by the first call, monitored, restarted while there are calls. */
export function createProcessSfu(
  settings: SfuSettings,
  { log, slots, timings: tuned }: SfuOptions,
): Sfu & { readonly pid: number | undefined } {
  const timings = { ...TIMINGS, ...tuned }
  let events: SfuEvents | undefined
  let running: Running | undefined
  let restarting: NodeJS.Timeout | undefined
  let isClosed = false
  let count = 0
  let failures = 0
  let { port } = settings
  const totals: SfuLoad['totals'] = { ...newTraffic(), cpuSeconds: 0, restarts: 0 }

  function start(): Running {
    clearTimeout(restarting)
    restarting = undefined
    const child = startChild({
      host: settings.host,
      port,
      repairsTurn: settings.repairsTurn,
      slots,
      leaseMs: LEASE_MS,
      reportMs: REPORT_MS,
    })
    const ready = Promise.withResolvers<void>()
    ready.promise.catch(() => {})
    const started: Running = {
      child,
      ready: ready.promise,
      waiting: new Map(),
      silentMs: -START_TIMEOUT_MS,
      report: undefined,
      cpu: 0,
      busySinceMs: undefined,
      idleSinceMs: undefined,
    }
    const watch = setInterval(() => watchOver(started), WATCH_MS).unref()
    const onMessage = (message: FromChild) => {
      if (running !== started) return
      if (message.event === 'ready') {
        started.silentMs = 0
        if (port !== 0 && port !== message.port)
          log(`VOICE_PORT ${port} is in use: voice calls use port ${message.port} instead.`)
        port = message.port
        ready.resolve()
      } else receive(started, message)
    }
    child.on('message', (message: FromChild) => {
      try {
        onMessage(message)
      } catch (error) {
        // Media of players may have taken control of the process: no message of it may end the service.
        log(`voice: a message of the relay server is not valid: ${String(error)}`)
        child.kill('SIGKILL')
      }
    })
    child.on('error', (error) => {
      log(`voice: the relay server could not be started: ${error.message}`)
      // Without a process there is no exit.
      if (child.pid === undefined) onEnd('no process')
    })
    child.on('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`))
    function onEnd(reason: string) {
      clearInterval(watch)
      ready.reject(new ApiError('voice_unavailable'))
      for (const { pending, timer } of started.waiting.values()) {
        clearTimeout(timer)
        pending.reject(new ApiError('voice_unavailable'))
      }
      if (running === started) ended(reason)
    }
    running = started
    return started
  }

  /** Its calls are lost. It is restarted immediately, so that their members can join again; with a delay if it fails again. */
  function ended(reason: string) {
    running = undefined
    if (isClosed) return
    totals.restarts++
    log(`voice: the relay server has ended (${reason}); its calls are lost. It starts again.`)
    const afterMs = Math.min(timings.restartMaxMs, timings.restartMs * 2 ** (failures - 1))
    if (failures++ === 0) start()
    else restarting = setTimeout(start, afterMs).unref()
    events?.lost()
  }

  function watchOver(started: Running) {
    started.silentMs += WATCH_MS
    if (started.silentMs > timings.silenceMs) {
      log('voice: the relay server does not respond.')
      return void started.child.kill('SIGKILL')
    }
    if (running !== started) return
    if (started.report?.calls !== 0) return void (started.idleSinceMs = undefined)
    const nowMs = performance.now()
    started.idleSinceMs ??= nowMs
    if (nowMs - started.idleSinceMs < timings.idleMs || started.waiting.size > 0) return
    running = undefined
    started.child.disconnect()
  }

  function receive(from: Running, message: Exclude<FromChild, { event: 'ready' }>) {
    from.silentMs = 0
    switch (message.event) {
      case 'report':
        return reported(from, message)
      case 'speakers':
        return events?.speakers(message.callId, message.slots)
      case 'gone':
        return events?.gone(message)
      case 'answer':
        return settle(from, message.id)?.resolve(message.value)
      case 'refused':
        return settle(from, message.id)?.reject(invalidField('$.sdp', message.problem))
      case 'failed':
        return settle(from, message.id)?.reject(new ApiError('voice_unavailable'))
    }
  }

  function settle({ waiting }: Running, id: number) {
    const found = waiting.get(id)
    waiting.delete(id)
    clearTimeout(found?.timer)
    return found?.pending
  }

  function reported(from: Running, report: Report) {
    failures = 0
    const before = from.report
    from.report = report
    totals.packetsIn += report.packetsIn - (before?.packetsIn ?? 0)
    totals.packetsOut += report.packetsOut - (before?.packetsOut ?? 0)
    totals.cpuSeconds += (report.cpuMs - (before?.cpuMs ?? 0)) / SECOND_MS
    for (const reason of Object.keys(totals.dropped) as DropReason[])
      totals.dropped[reason] += report.dropped[reason] - (before?.dropped[reason] ?? 0)
    from.cpu = before ? (report.cpuMs - before.cpuMs) / REPORT_MS : 0
    if (from.cpu > timings.busyCpu) from.busySinceMs ??= performance.now()
    else from.busySinceMs = undefined
  }

  /** A member that is admitted after the time-out is removed again. */
  async function sendRequest(request: Request): Promise<Admitted | null> {
    if (isClosed || restarting) throw new ApiError('voice_unavailable')
    const at = running ?? start()
    // The last report does not include this request yet.
    at.idleSinceMs = performance.now() + REPORT_MS
    const id = ++count
    const pending = Promise.withResolvers<Admitted | null>()
    const timer = setTimeout(
      () => {
        const { callId, memberId } = request
        if (request.do === 'admit') post(at, { do: 'cancel', id, callId, memberId })
        settle(at, id)?.reject(new ApiError('voice_unavailable'))
      },
      timings.answerMs + (at.report ? 0 : START_TIMEOUT_MS),
    )
    at.waiting.set(id, { pending, timer })
    at.ready
      .then(() => post(at, { id, ...request }))
      .catch(() => settle(at, id)?.reject(new ApiError('voice_unavailable')))
    return pending.promise
  }

  /** The callback: a process that has just ended is reported by its exit. */
  function post({ child }: Running, message: ToChild) {
    if (child.connected) child.send(message, undefined, undefined, () => {})
  }

  function send(command: Command) {
    if (running) post(running, command)
  }

  return {
    get pid() {
      return running?.child.pid
    },

    start() {
      if (!running && !restarting && !isClosed) start()
    },

    async admit(who, offer, { canSpeak, address, ptime }) {
      const admitted = await sendRequest({
        do: 'admit',
        ...who,
        offer,
        canSpeak,
        address: settings.publicIp ?? address,
        ptime,
      })
      if (!admitted) throw new ApiError('voice_unavailable')
      return admitted
    },
    async answer(who, sdp) {
      await sendRequest({ do: 'answer', ...who, sdp })
    },
    setCanSpeak: (who, canSpeak) => send({ do: 'setCanSpeak', ...who, canSpeak }),
    setSpeaking: (who, speaking) => send({ do: 'setSpeaking', ...who, speaking }),
    remove: (who) => send({ do: 'remove', ...who }),
    renew: (callIds) => send({ do: 'renew', callIds }),
    end: (callId) => send({ do: 'end', callId }),
    on: (listener) => void (events = listener),

    load() {
      const report = running?.report
      const busySinceMs = running?.busySinceMs
      return {
        members: report?.members ?? 0,
        cpu: running?.cpu ?? 0,
        loopDelayMs: report?.loopDelayMs ?? 0,
        isDown: restarting !== undefined,
        isOverloaded: busySinceMs !== undefined && performance.now() - busySinceMs >= timings.busyMs,
        residentBytes: report?.residentBytes ?? 0,
        tcpConnections: report?.tcpConnections ?? 0,
        totals,
      }
    },

    async close() {
      isClosed = true
      clearTimeout(restarting)
      const child = running?.child
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), timings.answerMs)
      await exited
      clearTimeout(timer)
    },
  }
}

/** With an empty environment, and with permission to read nothing but its own code. */
function startChild(settings: ChildSettings): ChildProcess {
  return fork(OWN_FILES.relayServer, [JSON.stringify(settings)], {
    execArgv: [
      '--permission',
      '--allow-addons',
      '--allow-net',
      ...readableFolders().map((folder) => `--allow-fs-read=${folder}`),
      '--disable-warning=SecurityWarning',
      '--disable-warning=ExperimentalWarning',
    ],
    env: {},
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

function readableFolders(): string[] {
  const { resolve: find } = createRequire(import.meta.url)
  const inside = (packageName: string) => {
    const file = find(packageName)
    return file.slice(
      0,
      file.lastIndexOf(join('node_modules', packageName)) + join('node_modules', packageName).length,
    )
  }
  const driver = inside('node-datachannel')
  return [
    ...OWN_FILES.relayServerReads,
    // Its `type` says that the code is an ES module.
    OWN_FILES.manifest,
    driver,
    resolve(dirname(driver), '@node-datachannel'),
    createRequire(join(driver, 'package.json'))
      .resolve('detect-libc')
      .replace(/detect-libc\b.*$/, 'detect-libc'),
  ]
}
