import { setTimeout as sleep } from 'node:timers/promises'

import { percentile } from '../metrics.ts'
import { runWorkerLoop } from '../worker-loop.ts'
import { type Client, type DialectName, DIALECTS, type Participant } from './dialects.ts'

/** Tasks of a separate process that runs many clients of one server. */
export type ClientTask =
  /** Connects clients that stay until the end. The first one of a room or channel creates it. */
  | { type: 'connect'; dialect: DialectName; participants: readonly Participant[] }
  /** `senders` of the connected clients send `perSecond` messages each; every message has `receivers`. */
  | {
      type: 'send'
      ms: number
      senders: number
      perSecond: number
      bytes: number
      receivers: number
      order: Order
    }
  /** Connects and leaves repeatedly. Each list is used by one client at a time, and all lists run concurrently. */
  | {
      type: 'connect and leave'
      dialect: DialectName
      ms: number
      participants: readonly (readonly Participant[])[]
    }
  /** The first `count` connected clients leave. */
  | { type: 'leave'; count: number }
/** Whether consecutive senders are in the same room or in different rooms. */
export type Order = 'by room' | 'spread'
export type ClientResult = { done: number; lost?: number; perSecond: number; p50Ms: number; p99Ms: number }

const CONNECT_CONCURRENCY = 20
const POLL_INTERVAL_MS = 2
/** Messages that have not arrived after this time count as lost. */
const DELIVERY_TIMEOUT_MS = 20_000
/** Precedes the timestamp in a message. Occurs nowhere else in any of the protocols. */
const MARK = '~'
const MARK_BYTE = MARK.charCodeAt(0)
const TIME_LENGTH = 13

const members: Client[] = []
let latencies: number[] = []

runWorkerLoop((task: ClientTask) => {
  latencies = []
  if (task.type === 'connect') return connectClients(task.dialect, task.participants)
  if (task.type === 'leave') return leave(task.count)
  return task.type === 'send' ? sendMessages(task) : connectAndLeave(task)
})

async function connectClients(
  dialect: DialectName,
  participants: readonly Participant[],
): Promise<ClientResult> {
  const startedAt = performance.now()
  for (let i = 0; i < participants.length;) {
    const group = participants.slice(i, participants[i]?.isFirst ? i + 1 : nextFirst(participants, i))
    members.push(
      ...(await Promise.all(group.map((participant) => DIALECTS[dialect](participant, recordLatency)))),
    )
    i += group.length
  }
  return resultOf(participants.length, performance.now() - startedAt)
}

async function leave(count: number): Promise<ClientResult> {
  const startedAt = performance.now()
  await Promise.all(members.splice(0, count).map((member) => member.leave()))
  return resultOf(count, performance.now() - startedAt)
}

/** Ends a batch before the next room, because its creator has to connect first. */
function nextFirst(participants: readonly Participant[], from: number): number {
  const next = participants.findIndex(({ isFirst }, i) => i > from && isFirst)
  return Math.min(next < 0 ? participants.length : next, from + CONNECT_CONCURRENCY)
}

function recordLatency(payload: Buffer) {
  const at = payload.indexOf(MARK_BYTE)
  if (at < 0) return
  latencies.push(performance.now() - Number(payload.toString('latin1', at + 1, at + 1 + TIME_LENGTH)))
}

async function sendMessages({
  ms,
  senders,
  perSecond,
  bytes,
  receivers,
  order,
}: ClientTask & { type: 'send' }) {
  const periodMs = 1_000 / perSecond
  const startedAt = performance.now()
  const until = startedAt + ms
  const sending = inOrder(members, order)
    .slice(0, senders)
    .map((member, i) => ({ member, dueAt: startedAt + (i * periodMs) / senders }))
  const rest = 'x'.repeat(bytes - MARK.length - TIME_LENGTH)
  let sent = 0

  for (let now = startedAt; now < until; now = performance.now()) {
    for (const sender of sending) {
      for (; sender.dueAt <= now; sender.dueAt += periodMs) {
        sender.member.send(MARK + performance.now().toFixed(3).padStart(TIME_LENGTH, '0') + rest)
        sent++
      }
    }
    await sleep(POLL_INTERVAL_MS)
  }
  const lastedMs = performance.now() - startedAt
  const expected = sent * receivers
  for (
    let waited = 0;
    latencies.length < expected && waited < DELIVERY_TIMEOUT_MS;
    waited += POLL_INTERVAL_MS
  )
    await sleep(POLL_INTERVAL_MS)
  const lost = expected - latencies.length
  return { ...resultOf(latencies.length, lastedMs), lost }
}

/** Coprime to the number of rooms and of members, so that the stride visits every client. */
const STRIDE = 37

const inOrder = (all: readonly Client[], order: Order): Client[] =>
  order === 'by room' ? [...all] : all.map((_, i) => all[(i * STRIDE) % all.length] as Client)

async function connectAndLeave({
  dialect,
  ms,
  participants,
}: ClientTask & { type: 'connect and leave' }): Promise<ClientResult> {
  const startedAt = performance.now()
  const until = startedAt + ms

  async function use(turns: readonly Participant[]) {
    for (let i = 0; performance.now() < until; i++) {
      const connectedFromMs = performance.now()
      const member = await DIALECTS[dialect](turns[i % turns.length] as Participant, () => undefined)
      latencies.push(performance.now() - connectedFromMs)
      await member.leave()
    }
  }
  await Promise.all(participants.map(use))
  return resultOf(latencies.length, performance.now() - startedAt)
}

function resultOf(done: number, lastedMs: number): ClientResult {
  latencies.sort((a, b) => a - b)
  return {
    done,
    perSecond: (done * 1_000) / lastedMs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}
