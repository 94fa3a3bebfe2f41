import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { FRAMES } from '@svc/contract/common/frames'
import * as fc from 'fast-check'

import { newPostgresDatabase } from '../../src/testing/databases.ts'
import { closesOf, openRaw } from '../../src/testing/raw-websocket.ts'
import { startRedis } from '../../src/testing/redis.ts'
import type { Engine } from '../../src/testing/service.ts'
import { newGameServer } from '../realtime/game-server.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import {
  everyFieldWrong,
  type KnownValues,
  frames,
  type GeneratedFrame,
  opening,
} from './frame-generators.ts'
import { type Attack, attacks, firstFrames } from './frames-bytes.ts'
import { attackWith, sendFrames } from './frames-client.ts'
import { connectGoodPlayers } from './well-behaved-clients.ts'

export type FrameFuzzOptions = { engine: Engine; frames: number; seed: number }
export type FrameReport = {
  frames: number
  attacks: number
  byFrame: Map<string, number>
  byCode: Map<string, number>
  byAttack: Map<string, number>
  /** Messages delivered to the well-behaved clients. */
  messages: number
  problems: string[]
}

const CONCURRENT = 12
const FRAMES_PER_CONNECTION = 40
const ATTACKS_PER_CONNECTION = 4
const PROBLEMS_MAX = 100
const CHANNEL = 'lobby'
const MODES = [
  { key: 'default', minPlayers: 2, maxPlayers: 8 },
  { key: 'mesh', transport: 'p2p', maxPlayers: 8 },
]

/** Runs a server program under attack. The same seed gives the same frames, except for ids. */
export async function fuzzFrames({ engine, frames: wanted, seed }: FrameFuzzOptions): Promise<FrameReport> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-fuzz-'))
  const postgres = engine === 'postgres' ? await newPostgresDatabase() : undefined
  // Programs have no prefix of their own: on a shared Redis they would be nodes of one service.
  const redis = engine === 'postgres' ? await startRedis() : undefined
  const server = await startServer({
    SVC_DATA_DIR: folder,
    // Rate limits have their own tests. Here they would reject all requests after the first hundred.
    SVC_RATE_LIMITS: 'off',
    ...(postgres && redis && { DATABASE_URL: postgres.url, REDIS_URL: redis.url }),
  })
  try {
    const crashed = server.ended.then(({ code, errors }) =>
      Promise.reject(new Error(`ended with ${code}: ${errors}`)),
    )
    crashed.catch(() => {})
    const report = await Promise.race([run(server, wanted, seed), crashed])
    server.signal('SIGTERM')
    const { code, errors, output } = await server.ended
    const logged = output.split('\n').filter((line) => line.startsWith('{'))
    if (code !== 0 || errors !== '') report.problems.push(`the server ended with ${code}: ${errors}`)
    report.problems.push(...logged.slice(0, 5).map((line) => `the server logged: ${line.slice(0, 2_000)}`))
    return report
  } finally {
    server.signal('SIGKILL')
    await server.ended
    await postgres?.remove()
    await redis?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function run(server: ServerProcess, wanted: number, seed: number): Promise<FrameReport> {
  const report: FrameReport = {
    frames: 0,
    attacks: 0,
    byFrame: new Map(),
    byCode: new Map(),
    byAttack: new Map(),
    messages: 0,
    problems: [],
  }
  const game = await newGameServer(server, {
    features: { multiplayer: true, realtimeChannels: true },
    multiplayer: { modes: MODES },
  })
  const silent = await Promise.all(
    ['', '\u0081', '\u0081\u00fe'].map((bytes) => openRaw(server.port, Buffer.from(bytes, 'latin1'))),
  )
  const good = await connectGoodPlayers(server, game, () => game.newPlayer(), CHANNEL)
  const hostile = await Promise.all(Array.from({ length: CONCURRENT }, () => game.newPlayer()))
  const knownValues: KnownValues = {
    roomId: [good.room.id],
    code: ['FUZZDEFAULT', 'fuzzmesh', good.room.code],
    mode: ['default', 'mesh', 'mesh'],
    maxPlayers: [2, 8],
    channel: [CHANNEL, '@fuzz', '@own', 'fuzz', 'a', 'b', 'c'],
    to: [hostile[0]?.id, good.ids, hostile.map(({ id }) => id)],
    playerId: hostile.map(({ id }) => id),
    data: [1, { a: [] }, 'x'.repeat(8_193), 'x'.repeat(16_385)],
    op: ['mute', 'unmute', 'kick', 'ban', 'unban', 'invite'],
    patch: [{ a: 1, b: { c: [] } }, { a: null }, { big: 'x'.repeat(20_000) }],
    kind: ['offer', 'candidate'],
  }

  const waiting = everyFieldWrong(seed)
  const nextFrames = (turn: number): GeneratedFrame[] =>
    waiting.length > 0
      ? waiting.splice(0, FRAMES_PER_CONNECTION)
      : fc.sample(frames(knownValues), { numRuns: FRAMES_PER_CONNECTION, seed: seed + turn })

  let turns = 0
  const isDone = () => report.frames + report.attacks >= wanted || report.problems.length >= PROBLEMS_MAX
  const sendHostileFrames = async (accessToken: string) => {
    while (!isDone()) {
      const turn = ++turns
      const who = turn % 8 === 0 ? { anon: true } : { token: accessToken }
      const target = { port: server.port, auth: { key: game.publishableKey, ...who } }
      const begun = opening(turn)
      const made = nextFrames(turn)
      const { answered, codes } = await sendFrames(target, [...begun, ...made], report.problems)
      const hostileFrames = made.slice(0, Math.max(0, answered - begun.length))
      report.frames += hostileFrames.length
      for (const { t } of hostileFrames)
        count(report.byFrame, FRAMES.some((frame) => frame.t === t) ? t : 'unknown')
      codes.forEach((code) => count(report.byCode, code))

      const sampled = { numRuns: ATTACKS_PER_CONNECTION, seed: seed + turn }
      const runAttack = async (who: Parameters<typeof attackWith>[0], attack: Attack) => {
        report.attacks++
        count(report.byAttack, await attackWith(who, attack, report.problems))
      }
      for (const attack of fc.sample(attacks, sampled)) await runAttack(target, attack)
      for (const attack of fc.sample(firstFrames, sampled)) await runAttack(server, attack)
    }
  }
  await Promise.all(hostile.map(({ accessToken }) => sendHostileFrames(accessToken)))

  // Clients that send nothing, or never finish a frame, must be disconnected.
  for (const { ended, frames: received } of silent) {
    await ended
    if (closesOf(received)[0]?.[0] !== 4001)
      report.problems.push('a silent connection was not closed with 4001')
  }
  report.messages = await good.check()
  assert.equal((await fetch(`http://127.0.0.1:${server.port}/readyz`)).status, 200)
  return report
}

const count = (counts: Map<string, number>, name: string) =>
  void counts.set(name, (counts.get(name) ?? 0) + 1)
