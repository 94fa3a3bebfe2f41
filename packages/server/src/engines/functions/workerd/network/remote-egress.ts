import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChildProcess, fork } from 'node:child_process'
import type { Resolver } from 'node:dns/promises'
import { getCACertificates } from 'node:tls'

import { OWN_FILES } from '../../../../platform/own-files.ts'
import type { Verdict } from './egress.ts'

/** A message to the process of outgoing requests. `certificates`: those of NODE_EXTRA_CA_CERTS. */
export type EgressCommand =
  | { certificates: string[] }
  | { open: number; path: string; allowLoopback: boolean; nameServers: string[] }
  | { close: number }
  | ({ question: number } & Verdict)
/** A message of it. `used`: the bytes and the CPU time since the last one. */
export type EgressReport =
  | { opened: number; error?: string }
  | { question: number; id: number; requestId: string | undefined; loop: string | undefined }
  | { used: number; bytes: number; cpuMs: number }
  | { closed: number }
  | { escaped: string; id?: number }

export type EgressOptions = {
  allowLoopback: boolean
  resolver: Resolver
  /** Counts an outgoing request; the reason if it is over the limit. */
  count(requestId: string | undefined): string | undefined
  /** The header `CDN-Loop` of an outgoing request; undefined if it has passed through functions too often. */
  loopOf(requestId: string | undefined, sent: string | undefined): string | undefined
  addBytes(bytes: number): void
  /** CPU time that the answers of servers have cost. */
  addCpuMs(ms: number): void
}
type Opened = EgressOptions & {
  path: string
  onOpened: PromiseWithResolvers<void>
  /** It is closed there; what it has used since the last report comes before that is reported. */
  isClosing: boolean
  /** Errors that escape belong to the environment that has opened it. */
  inOwnName: (work: () => void) => void
}

const LOOP = 'This request has passed through functions 16 times: it calls itself.'
/** Between two processes: one that ends at its start must not be started without end. */
const RESTART_MS = 1_000

const opened = new Map<number, Opened>()
let child: ChildProcess | undefined
let lastId = 0
let opening = 0

/**
 * Opens a socket to which a process of functions sends its outgoing requests. They are sent by one other process for all of them
 * (decision 0102), so that no server can occupy the service, which only decides about each request.
 */
export async function openRemoteEgress(path: string, options: EgressOptions): Promise<{ close(): void }> {
  const id = ++lastId
  const onOpened = Promise.withResolvers<void>()
  opening++
  opened.set(id, { ...options, path, onOpened, isClosing: false, inOwnName: AsyncLocalStorage.snapshot() })
  open(id)
  const close = () => {
    const one = opened.get(id)
    if (one) one.isClosing = true
    send({ close: id })
  }
  try {
    await onOpened.promise
  } catch (error) {
    close()
    throw error
  } finally {
    if (--opening === 0) keepFromEnding(false)
  }
  return { close }
}

function open(id: number) {
  const one = opened.get(id)
  if (!one) return
  const { path, allowLoopback, resolver } = one
  send({ open: id, path, allowLoopback, nameServers: resolver.getServers() })
}

function send(command: EgressCommand) {
  child ??= start()
  // If it has ended meanwhile, its end is reported.
  child.send(command, () => {})
}

function start(): ChildProcess {
  const started = fork(OWN_FILES.egress, [], {
    env: {},
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      '--max-semi-space-size=1',
      '--max-old-space-size=256',
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child = started
  const certificates = getCACertificates('extra')
  if (certificates.length > 0) started.send({ certificates } satisfies EgressCommand, () => {})
  const onEnd = () => {
    if (child !== started) return
    child = undefined
    // Until the next one is started, requests fail.
    setTimeout(() => {
      for (const [id, { isClosing }] of opened)
        if (isClosing) opened.delete(id)
        else open(id)
    }, RESTART_MS).unref()
  }
  started.on('message', (report: EgressReport) => receive(report))
  started.on('close', onEnd)
  // There is no `close` of a process that could not be created.
  started.on('error', () => started.pid === undefined && onEnd())
  keepFromEnding(opening > 0)
  return started
}

/** Whether the process keeps the service from ending: while a socket is opened. */
function keepFromEnding(isNeeded: boolean) {
  if (isNeeded) {
    child?.ref()
    child?.channel?.ref()
  } else {
    child?.unref()
    child?.channel?.unref()
  }
}

function receive(report: EgressReport) {
  if ('question' in report) send({ question: report.question, ...judge(report) })
  else if ('used' in report) charge(report)
  else if ('closed' in report) opened.delete(report.closed)
  else if ('escaped' in report) escape(report)
  else if (report.error === undefined) opened.get(report.opened)?.onOpened.resolve()
  else opened.get(report.opened)?.onOpened.reject(new Error(report.error))
}

function judge({ id, requestId, loop: sent }: Extract<EgressReport, { question: number }>): Verdict {
  const one = opened.get(id)
  if (!one) return { refused: 'the process has ended' }
  const refused = one.count(requestId)
  if (refused !== undefined) return { refused }
  const loop = one.loopOf(requestId, sent)
  return loop === undefined ? { refused: LOOP } : { loop }
}

function charge({ used: id, bytes, cpuMs }: Extract<EgressReport, { used: number }>) {
  opened.get(id)?.addBytes(bytes)
  opened.get(id)?.addCpuMs(cpuMs)
}

/** An error that no code of that process has caught is reported as one of the service (decision 0042). */
function escape({ escaped, id }: Extract<EgressReport, { escaped: string }>) {
  const fail = () => {
    throw new Error(`in the process of outgoing requests: ${escaped}`)
  }
  const inOwnName = opened.get(id ?? 0)?.inOwnName ?? AsyncLocalStorage.snapshot()
  inOwnName(() => setImmediate(fail))
}
