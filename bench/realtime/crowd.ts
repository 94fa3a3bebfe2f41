import { setTimeout as sleep } from 'node:timers/promises'

import { answering } from '../answering.ts'
import { percentile } from '../figures.ts'
import { type DialectName, DIALECTS, type Member, type Seat } from './dialects.ts'

/** Many clients of one server, in a process of their own. */
export type CrowdTask =
  /** Those who stay until the end; the first of a room or channel makes it. */
  | { do: 'enter'; dialect: DialectName; seats: readonly Seat[] }
  /** Of those who have entered every one who talks says so much a second, and each word reaches so many. */
  | {
      do: 'talk'
      ms: number
      talkers: number
      perSecond: number
      bytes: number
      hearers: number
      order: Order
    }
  /** One after another at each of these seats, as many at once as there are lists. */
  | { do: 'come and go'; dialect: DialectName; ms: number; seats: readonly (readonly Seat[])[] }
/** Whether those of one room talk right after each other, or those of different rooms. */
export type Order = 'by room' | 'spread'
export type CrowdResult = { done: number; lost?: number; perSecond: number; p50Ms: number; p99Ms: number }

const ENTERING_AT_ONCE = 20
const LOOK_EVERY_MS = 2
/** What has not arrived then is lost. */
const LATE_MS = 20_000
/** Stands before the time in what is said, and nowhere else in any protocol. */
const MARK = '~'
const MARK_BYTE = MARK.charCodeAt(0)
const TIME_LENGTH = 13

const members: Member[] = []
let latencies: number[] = []

answering((task: CrowdTask) => {
  latencies = []
  if (task.do === 'enter') return enter(task.dialect, task.seats)
  return task.do === 'talk' ? talk(task) : comeAndGo(task)
})

async function enter(dialect: DialectName, seats: readonly Seat[]): Promise<CrowdResult> {
  const startedAt = performance.now()
  for (let i = 0; i < seats.length;) {
    const group = seats.slice(i, seats[i]?.isFirst ? i + 1 : nextFirst(seats, i))
    members.push(...(await Promise.all(group.map((seat) => DIALECTS[dialect](seat, heard)))))
    i += group.length
  }
  return resultOf(seats.length, performance.now() - startedAt)
}

/** Nobody can join what is not made yet. */
function nextFirst(seats: readonly Seat[], from: number): number {
  const next = seats.findIndex(({ isFirst }, i) => i > from && isFirst)
  return Math.min(next < 0 ? seats.length : next, from + ENTERING_AT_ONCE)
}

function heard(payload: Buffer) {
  const at = payload.indexOf(MARK_BYTE)
  if (at < 0) return
  latencies.push(performance.now() - Number(payload.toString('latin1', at + 1, at + 1 + TIME_LENGTH)))
}

async function talk({ ms, talkers, perSecond, bytes, hearers, order }: CrowdTask & { do: 'talk' }) {
  const periodMs = 1_000 / perSecond
  const startedAt = performance.now()
  const until = startedAt + ms
  const talking = inOrder(members, order)
    .slice(0, talkers)
    .map((member, i) => ({ member, dueAt: startedAt + (i * periodMs) / talkers }))
  const rest = 'x'.repeat(bytes - MARK.length - TIME_LENGTH)
  let said = 0

  for (let now = startedAt; now < until; now = performance.now()) {
    for (const talker of talking) {
      for (; talker.dueAt <= now; talker.dueAt += periodMs) {
        talker.member.say(MARK + performance.now().toFixed(3).padStart(TIME_LENGTH, '0') + rest)
        said++
      }
    }
    await sleep(LOOK_EVERY_MS)
  }
  const lastedMs = performance.now() - startedAt
  const expected = said * hearers
  for (let waited = 0; latencies.length < expected && waited < LATE_MS; waited += LOOK_EVERY_MS)
    await sleep(LOOK_EVERY_MS)
  const lost = expected - latencies.length
  return { ...resultOf(latencies.length, lastedMs), lost }
}

/** To neither a number of rooms nor of their members a multiple, so that everybody has a turn and rooms are far apart. */
const STRIDE = 37

const inOrder = (all: readonly Member[], order: Order): Member[] =>
  order === 'by room' ? [...all] : all.map((_, i) => all[(i * STRIDE) % all.length] as Member)

async function comeAndGo({ dialect, ms, seats }: CrowdTask & { do: 'come and go' }): Promise<CrowdResult> {
  const startedAt = performance.now()
  const until = startedAt + ms

  async function use(own: readonly Seat[]) {
    for (let i = 0; performance.now() < until; i++) {
      const cameAt = performance.now()
      const member = await DIALECTS[dialect](own[i % own.length] as Seat, () => undefined)
      latencies.push(performance.now() - cameAt)
      await member.leave()
    }
  }
  await Promise.all(seats.map(use))
  return resultOf(latencies.length, performance.now() - startedAt)
}

function resultOf(done: number, lastedMs: number): CrowdResult {
  latencies.sort((a, b) => a - b)
  return {
    done,
    perSecond: (done * 1_000) / lastedMs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}
