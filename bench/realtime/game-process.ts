import { setTimeout as sleep } from 'node:timers/promises'

import { percentile } from '../metrics.ts'
import { runWorkerLoop } from '../worker-loop.ts'
import {
  FIRST_ASK,
  GAME_DIALECTS,
  type GameDialectName,
  type GamePlayer,
  type Seat,
} from './game-dialects.ts'

/** Tasks of a separate process that runs the players of a game whose rooms run code. */
export type GameTask =
  /** All players join; the first one of a room creates it. */
  | { type: 'join'; dialect: GameDialectName; seats: readonly Seat[] }
  /** Every player moves `perSecond` times a second, at other times than the others; or, with `inStep`, all at the same time. */
  | { type: 'play'; ms: number; perSecond: number; inStep?: boolean }
  /** Every player asks `perSecond` times a second for an answer. */
  | { type: 'ask'; ms: number; perSecond: number }
  | { type: 'leave' }

export type GameResult = {
  lastedMs: number
  /** Moves or questions that were sent. */
  sent: number
  /** Turns that the first player of each room saw, of all rooms. */
  turns: number
  bytes: number
  /** Changes that another player of the room got, but not this one; answers that did not arrive. */
  lost: number
  outOfOrder: number
  /** Milliseconds: between two changes that the first player of a room got; from a question to its answer. */
  p50Ms: number
  p99Ms: number
}

type Member = {
  seat: Seat
  player: GamePlayer
  ticks: number[]
  syncs: number
  bytes: number
  lastSyncAt: number
}

const JOIN_CONCURRENCY = 20
const POLL_INTERVAL_MS = 2
const ANSWER_TIMEOUT_MS = 10_000

const members: Member[] = []
/** Between two changes that the first player of a room got. */
let gapsMs: number[] = []
/** From a question to its answer. */
let answersMs: number[] = []
let outOfOrder = 0
let askId = FIRST_ASK
const asked = new Map<number, number>()

runWorkerLoop((task: GameTask): Promise<GameResult> => {
  switch (task.type) {
    case 'join':
      return join(task.dialect, task.seats)
    case 'play':
      return play(task)
    case 'ask':
      return ask(task)
    case 'leave':
      return leave()
  }
})

async function join(dialect: GameDialectName, seats: readonly Seat[]): Promise<GameResult> {
  const startedAt = performance.now()
  reset()
  const connect = async (seat: Seat) => {
    const member: Member = {
      seat,
      player: { move() {}, ask() {}, leave: () => Promise.resolve() },
      ticks: [],
      syncs: 0,
      bytes: 0,
      lastSyncAt: Number.NaN,
    }
    member.player = await GAME_DIALECTS[dialect](seat, {
      onSync: (bytes, tick) => noteSync(member, bytes, tick),
      onReply: noteReply,
    })
    return member
  }
  // The rooms exist before the others join.
  for (const isFirst of [true, false]) {
    const group = seats.filter((seat) => seat.isFirst === isFirst)
    for (let i = 0; i < group.length; i += JOIN_CONCURRENCY)
      members.push(...(await Promise.all(group.slice(i, i + JOIN_CONCURRENCY).map(connect))))
  }
  return resultOf(0, performance.now() - startedAt)
}

function noteSync(member: Member, bytes: number, tick: number | undefined) {
  member.syncs++
  member.bytes += bytes
  if (tick !== undefined) {
    if (tick < (member.ticks.at(-1) ?? 0)) outOfOrder++
    member.ticks.push(tick)
  }
  if (!member.seat.isFirst) return
  const now = performance.now()
  if (!Number.isNaN(member.lastSyncAt)) gapsMs.push(now - member.lastSyncAt)
  member.lastSyncAt = now
}

function noteReply(id: number) {
  const askedAt = asked.get(id)
  if (askedAt === undefined) return
  asked.delete(id)
  answersMs.push(performance.now() - askedAt)
}

async function play({ ms, perSecond, inStep = false }: GameTask & { type: 'play' }): Promise<GameResult> {
  reset()
  const { sent, lastedMs } = await paced(ms, perSecond, inStep, ({ player }, nth) => {
    player.move((nth % 3) - 1, ((nth >> 2) % 3) - 1)
  })
  return { ...resultOf(sent, lastedMs), lost: lostSyncs() }
}

async function ask({ ms, perSecond }: GameTask & { type: 'ask' }): Promise<GameResult> {
  reset()
  const { sent, lastedMs } = await paced(ms, perSecond, false, ({ player }) => {
    asked.set(++askId, performance.now())
    player.ask(askId)
  })
  for (let waited = 0; asked.size > 0 && waited < ANSWER_TIMEOUT_MS; waited += POLL_INTERVAL_MS)
    await sleep(POLL_INTERVAL_MS)
  const lost = asked.size
  asked.clear()
  return { ...resultOf(sent, lastedMs), lost }
}

/** Runs `act` for every player `perSecond` times a second. */
async function paced(
  ms: number,
  perSecond: number,
  inStep: boolean,
  act: (member: Member, nth: number) => void,
) {
  const startedAt = performance.now()
  const periodMs = 1_000 / perSecond
  const due = members.map((member, i) => ({
    member,
    nth: i,
    atMs: startedAt + (inStep ? 0 : (i * periodMs) / members.length),
  }))
  let sent = 0
  for (let now = startedAt; now < startedAt + ms; now = performance.now()) {
    for (const each of due)
      for (; each.atMs <= now; each.atMs += periodMs) {
        act(each.member, each.nth++)
        sent++
      }
    await sleep(POLL_INTERVAL_MS)
  }
  return { sent, lastedMs: performance.now() - startedAt }
}

async function leave(): Promise<GameResult> {
  const startedAt = performance.now()
  await Promise.all(members.splice(0).map(({ player }) => player.leave()))
  return resultOf(0, performance.now() - startedAt)
}

function reset() {
  gapsMs = []
  answersMs = []
  outOfOrder = 0
  for (const member of members) {
    member.ticks = []
    member.syncs = 0
    member.bytes = 0
    member.lastSyncAt = Number.NaN
  }
}

/**
 * Without ticks in the protocol only counts can be compared, and those of two players may differ by one that is still on its way at
 * either end.
 */
function lostSyncs(): number {
  let lost = 0
  for (const room of Map.groupBy(members, ({ seat }) => seat.room).values()) {
    if (room.every(({ ticks }) => ticks.length > 0)) {
      const from = Math.max(...room.map(({ ticks }) => ticks[0] ?? 0))
      const to = Math.min(...room.map(({ ticks }) => ticks.at(-1) ?? 0))
      const counts = room.map(({ ticks }) => ticks.filter((tick) => tick >= from && tick <= to).length)
      const most = Math.max(...counts)
      lost += counts.reduce((sum, count) => sum + most - count, 0)
    } else {
      const most = Math.max(...room.map(({ syncs }) => syncs))
      lost += room.reduce((sum, { syncs }) => sum + Math.max(0, most - syncs - 2), 0)
    }
  }
  return lost
}

function resultOf(sent: number, lastedMs: number): GameResult {
  const tookMs = (answersMs.length > 0 ? answersMs : gapsMs).toSorted((a, b) => a - b)
  const first = members.filter(({ seat }) => seat.isFirst)
  return {
    lastedMs,
    sent,
    turns: first.reduce((sum, { syncs }) => sum + syncs, 0),
    bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
    lost: 0,
    outOfOrder,
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
  }
}
