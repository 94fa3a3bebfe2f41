import type { Resolver } from 'node:dns/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'

import type { FunctionRequest, FunctionResponse, FunctionsSpec } from '../../../platform/functions-engine.ts'
import { request as httpRequest } from '../../../platform/node-http.ts'
import { Connections } from './connections.ts'
import { callControl, pingControl } from './control.ts'
import { type CpuWatch, watchCpu } from './cpu-watch.ts'
import { openEgress } from './egress.ts'
import { type BodyStore, openFileBodies } from './file-bodies.ts'
import type { PrintedLine } from './log-lines.ts'
import { isAsleep } from './proc.ts'
import { startProcess, type WorkerdProcess } from './process.ts'
import { createRequestQueue } from './request-queue.ts'
import { NotSentError, requestHeaders, sendRequest } from './requests.ts'
import type { Sandbox } from './sandbox.ts'
import { openServiceCalls } from './service-calls.ts'
import { createSubRequestCounter } from './sub-requests.ts'
import { headText, writeUpgrade } from './upgrades.ts'
import type { CancelCode, WorkInProgress } from './work.ts'

const START_TIMEOUT_MS = 10_000
const KILL_AFTER_MS = 300
/** How long a closed connection waits for the end of its process, which gives the reason. */
const REASON_WAIT_MS = 250
const DRAIN_LOOK_MS = 5
/** workerd closes a connection that is unused for five seconds: we close it before. */
const UNUSED_MS = 4_000
const UNUSED_CHECK_MS = 250
/** From the arrival of a request to the first byte of its answer. */
const ANSWER_TIMEOUT_MS = 60_000
const COLLECT_TIMEOUT_MS = 10_000

export type LiveOptions = {
  spec: FunctionsSpec
  program: string
  sandbox: Sandbox
  root: string
  isFull: boolean
  blobs: BodyStore
  resolver: Resolver
  onLine(line: PrintedLine): void
  addEgressBytes(bytes: number): void
  /** Called every 25 ms while there is work, otherwise every 500 ms. */
  onTick(quietMs: number): void
}

export type LiveProcess = Awaited<ReturnType<typeof startLive>>

/** A process with everything around it: its limits, its way out, and the requests that it works on. */
export async function startLive(options: LiveOptions) {
  const { spec, blobs, resolver, addEgressBytes, onTick, onLine } = options
  const work: WorkInProgress = new Map()
  const sockets = new Set<Duplex>()
  const count = createSubRequestCounter(work, spec.limits.subRequests)
  let watch: CpuWatch | undefined
  let endCode: CancelCode | undefined
  let isEnding = false
  /** Calls of the control worker in progress. */
  let calls = 0

  const noteProgress = () => watch?.noteProgress()
  const countAndNote = (requestId: string | undefined) => {
    noteProgress()
    return count(requestId)
  }
  const live: WorkerdProcess = await startProcess({
    ...options,
    startTimeoutMs: START_TIMEOUT_MS,
    onLine,
    async openServices(folder) {
      const services = await Promise.all([
        openEgress(join(folder, 'egress.sock'), {
          allowLoopback: spec.allowLoopback,
          resolver,
          count: countAndNote,
          addBytes: addEgressBytes,
        }),
        openServiceCalls(join(folder, 'svc.sock'), spec.onServiceCall, countAndNote),
        openFileBodies(join(folder, 'bodies.sock'), spec.dataId, blobs),
      ])
      return { close: () => services.forEach((service) => service.close()) }
    },
  })
  const code = new Connections(live.httpSocket, UNUSED_MS)
  const control = new Connections(live.controlSocket, UNUSED_MS)
  const unusedTimer = setInterval(() => {
    code.closeUnused()
    control.closeUnused()
  }, UNUSED_CHECK_MS).unref()
  const queue = createRequestQueue(() => isAsleep(live.pid))

  watch = watchCpu({
    pid: live.pid,
    work,
    hasSockets: () => sockets.size > 0,
    ping: () => pingControl(control),
    collect: () => callControl(control, 'collect', {}, COLLECT_TIMEOUT_MS),
    onExceeded: (code) => kill(code),
    onTick,
  })
  const ended = live.ended.then(() => {
    isEnding = true
    queue.close()
    watch.stop()
    clearInterval(unusedTimer)
    code.close()
    control.close()
    cancelAll(reason())
    for (const socket of sockets) socket.destroy()
  })

  const reason = (): CancelCode =>
    endCode ?? (live.hasRunOutOfMemory() ? 'memory_limit_exceeded' : 'function_failed')

  function cancelAll(code: CancelCode) {
    for (const one of work.values()) one.cancel(code)
  }

  /** A single request caused it; of several requests, any may be the cause. */
  function kill(code: CancelCode) {
    if (isEnding) return
    isEnding = true
    endCode = code
    queue.close()
    cancelAll(work.size === 1 ? code : 'function_restarted')
    onLine({ level: 'error', message: `${code}: the process was ended.`, requestId: null })
    live.kill('SIGKILL')
  }

  /** A connection breaks shortly before the end of its process is known. Undefined: the process lives. */
  async function failureOf(): Promise<CancelCode | undefined> {
    await Promise.race([live.ended, new Promise((resolve) => setTimeout(resolve, REASON_WAIT_MS).unref())])
    return isEnding ? reason() : undefined
  }

  function send(request: FunctionRequest, slot: number, answerDueAt: number): Promise<FunctionResponse> {
    if (isEnding) throw new NotSentError()
    watch?.noteWork()
    return sendRequest(request, {
      connections: code,
      work,
      cpuMs: spec.limits.cpuMs,
      answerDueAt,
      noteProgress,
      onEnd: () => queue.release(slot),
      failureOf,
    })
  }

  return {
    pid: live.pid,
    work,
    ended,
    isEnding: () => isEnding,
    isIdle: () => work.size === 0 && calls === 0 && sockets.size === 0,
    /** Why it ended, if it was not asked to. */
    endCode: () => endCode,
    takeCpuMs: () => watch.takeCpuMs(),
    kill,

    fetch(request: FunctionRequest): Promise<FunctionResponse> {
      const answerDueAt = performance.now() + ANSWER_TIMEOUT_MS
      const slot = queue.take()
      if (slot !== undefined) return send(request, slot, answerDueAt)
      return queue.wait(answerDueAt, request.signal).then((free) => send(request, free, answerDueAt))
    },

    /** Resolves when the upgrade was answered. */
    upgrade(
      { method, path, headers, requestId }: Omit<FunctionRequest, 'body'>,
      socket: Duplex,
      head: Buffer,
    ) {
      if (isEnding) throw new NotSentError()
      watch.noteWork()
      return new Promise<void>((resolve, reject) => {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
        const { upgrade } = headers
        const upstream = httpRequest({
          socketPath: live.httpSocket,
          method,
          path,
          headers: [
            ...requestHeaders(headers, requestId, false),
            'connection',
            'upgrade',
            'upgrade',
            upgrade ?? 'websocket',
          ],
        })
        upstream.on('upgrade', (answer, remote, remoteHead) => {
          if (head.length > 0) remote.write(head)
          writeUpgrade(answer, remote, remoteHead, socket)
          resolve()
        })
        upstream.on('response', (answer) => {
          socket.write(headText(answer))
          answer.on('error', () => socket.destroy())
          answer.pipe(socket)
          resolve()
        })
        upstream.on('error', (error) => {
          sockets.delete(socket)
          reject(error)
        })
        socket.on('close', () => upstream.destroy())
        upstream.end()
      })
    },

    /** `isWork: false`: the process is as idle as before. */
    async call<Result>(
      operation: string,
      input: object,
      timeoutMs: number,
      { isWork = true } = {},
    ): Promise<Result> {
      if (isEnding) throw new NotSentError()
      if (isWork) watch.noteWork()
      calls++
      try {
        return await callControl<Result>(control, operation, input, timeoutMs)
      } finally {
        calls--
      }
    },

    /** Waits for work in progress, at most `drainMs`, and ends the process. Requests that are left fail with `function_restarted`. */
    async stop(drainMs: number) {
      queue.close()
      const endsAt = performance.now() + drainMs
      while ((work.size > 0 || calls > 0) && !isEnding && performance.now() < endsAt)
        await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS))
      if (isEnding) return ended
      isEnding = true
      endCode = 'function_restarted'
      cancelAll('function_restarted')
      watch.stop()
      code.close()
      control.close()
      live.kill('SIGTERM')
      const killTimer = setTimeout(() => live.kill('SIGKILL'), KILL_AFTER_MS)
      await ended
      clearTimeout(killTimer)
    },
  }
}
