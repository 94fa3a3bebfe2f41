import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { operate } from '../operator.ts'
import { newPlayerOf } from '../realtime/game-server.ts'
import { createSaver, type Send, sendTo } from '../saving-players.ts'
import {
  type CallServer,
  callerOf,
  type ServerProcess,
  setUpCallerOf,
  startServer,
} from '../server-process.ts'

/**
 * Backs up a service every minute while players write, kills it with kill -9, and restores the newest backup.
 *
 *     node --conditions=source packages/server/test/faults/backup-load.ts --rate=1000 --seconds=180 --every=60 --megabytes=100
 *
 * Prints ratios: the time of a backup under load to that on the quiet service, and the p99 of writes with backups to that without.
 */
export type Options = {
  /** Writes per second. */
  rate: number
  seconds: number
  /** Seconds from the beginning of a backup to that of the next. */
  every: number
  megabytes: number
  /** Backups before the writes begin. */
  quiet: number
}

export type Outcome = {
  backups: number
  /** Backups that were not verified. */
  failed: number
  writes: number
  refused: number
  /** Writes that were acknowledged before the newest verified backup began. */
  acknowledged: number
  /** Those that are not in the restored service. */
  lost: number
  slowestRatio: number
  p99Ratio: number
  p99Ms: [number, number]
}

const PLAYERS = 50
const SAVES_PER_PLAYER = 10
const ACCOUNT = { email: 'operator@example.com', password: 'correct horse battery' }

export async function backUpUnderLoad({ rate, seconds, every, megabytes, quiet }: Options): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-backup-load-'))
  const dataDir = join(folder, 'data')
  const variables = { SVC_DATA_DIR: dataDir, SVC_RATE_LIMITS: 'off', SVC_BACKUP_HOURS: '0' }
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  let server: ServerProcess | undefined
  try {
    server = await startServer(variables)
    const { key, token } = await setUp(server)
    await stop(server, 'SIGTERM')
    fill(dataDir, megabytes)
    server = await startServer(variables)
    const call = callerOf(server)
    const saves = await newSaves(server, key, agent)

    const quietMs: number[] = []
    for (let round = 0; round < quiet; round++) quietMs.push((await backUpOnce(call, token)).ms)
    const alone = await write({ saves, rate, until: () => pause(seconds * 1_000) })
    const timed: { ms: number; isVerified: boolean; beganAt: number }[] = []
    const together = await write({
      saves,
      rate,
      async until() {
        const end = performance.now() + seconds * 1_000
        do {
          const next = pause(every * 1_000)
          timed.push(await backUpOnce(call, token))
          await next
        } while (performance.now() < end)
      },
    })
    await stop(server, 'SIGKILL')
    server = undefined

    const newest = timed.findLast(({ isVerified }) => isVerified)
    const before = new Map<string, number>()
    for (const { name, version, at } of [...alone.acks, ...together.acks])
      if (newest && at < newest.beganAt) before.set(name, Math.max(version, before.get(name) ?? 0))
    const found = await restored(folder, dataDir)
    const lost = [...before].filter(([name, version]) => (found.get(name) ?? 0) < version).length
    return {
      backups: timed.length,
      failed: timed.filter(({ isVerified }) => !isVerified).length,
      writes: alone.acks.length + together.acks.length,
      refused: alone.refused + together.refused,
      acknowledged: before.size,
      lost,
      slowestRatio: Math.max(...timed.map(({ ms }) => ms)) / medianOf(quietMs),
      p99Ratio: together.p99Ms / alone.p99Ms,
      p99Ms: [alone.p99Ms, together.p99Ms],
    }
  } finally {
    if (server) await stop(server, 'SIGKILL')
    agent.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function setUp(server: ServerProcess) {
  const call = setUpCallerOf(server)
  const invitation = /#setup=([\w-]+)/.exec(server.banner)?.[1]
  const { body: session } = await call('POST', '/v1/developers/signup', { body: { ...ACCOUNT, invitation } })
  const { token } = session
  const { body } = await call('POST', '/v1/projects', { token, body: { name: 'Backups' } })
  const keyOf = (type: string): string => body.keys.find((one: { type: string }) => one.type === type).key
  await call('PUT', '/v1/config', { key: keyOf('secret'), body: { features: { saves: true } } })
  return { token: String(token), key: keyOf('publishable') }
}

type Save = { name: string; saver: ReturnType<typeof createSaver> }

/** First one save of every player, then another one of every player. */
async function newSaves(server: ServerProcess, key: string, agent: Agent): Promise<Save[]> {
  const send: Send = (method, path, options) =>
    sendTo(agent, server.port, method, path, { key, ...options }).catch(() => ({
      status: 0,
      body: undefined,
    }))
  const guests = await Promise.all(Array.from({ length: PLAYERS }, () => newPlayerOf(key, server)()))
  return Array.from({ length: SAVES_PER_PLAYER }, (_, n) => `slot${n}`).flatMap((slot) =>
    guests.map(({ id, accessToken }) => ({
      name: `${id}/${slot}`,
      saver: createSaver(send, accessToken, slot),
    })),
  )
}

/** Saves of players that do not exist. */
function fill(dataDir: string, megabytes: number) {
  using database = new DatabaseSync(join(dataDir, 'svc.sqlite'))
  const insert = database.prepare(
    `insert into saves ("environmentId", "playerId", key, version, size, "updatedAt", data) values ('env_of_before', ?, 'slot', 1, 10000, ?, ?)`,
  )
  database.exec('begin')
  for (let row = 0; row < megabytes * 100; row++)
    insert.run(`ply_${row}`, new Date(0).toISOString(), JSON.stringify(randomBytes(5_000).toString('hex')))
  database.exec('commit')
}

/** Begins a backup and waits until it is verified. */
async function backUpOnce(call: CallServer, token: string) {
  const [start, beganAt] = [performance.now(), performance.now()]
  const { status, body } = await call('POST', '/v1/operator/backups', { token })
  if (status !== 200) throw new Error(`the backup was refused: ${JSON.stringify(body)}`)
  for (;;) {
    await pause(50)
    const { body: list } = await call('GET', '/v1/operator/backups', { token })
    const found = list.backups.find(({ name }: { name: string }) => name === body.backup.name)
    if (found !== undefined && found.status !== 'running')
      return { ms: performance.now() - start, isVerified: found.verifiedAt !== null, beganAt }
  }
}

type Writing = { saves: Save[]; rate: number; until(): Promise<unknown> }
type Ack = { name: string; version: number; at: number }

/** Writes saves at a fixed rate, whether the service is fast or slow. A latency counts from the time the write was due. */
async function write({ saves, rate, until }: Writing) {
  const acks: Ack[] = []
  const latencies: number[] = []
  let [sent, refused, isDone] = [0, 0, false]
  const inFlight = new Set<Promise<void>>()
  const begun = performance.now()
  const ended = until().finally(() => (isDone = true))

  async function one({ name, saver }: Save, dueAt: number) {
    const version = await saver.write()
    latencies.push(performance.now() - dueAt)
    if (version === undefined) refused++
    else acks.push({ name, version, at: performance.now() })
  }
  while (!isDone) {
    const due = Math.floor(((performance.now() - begun) / 1_000) * rate)
    for (; sent < due; sent++) {
      const save = saves[sent % saves.length]
      if (!save) throw new Error('no saves')
      const writing = one(save, begun + (sent / rate) * 1_000)
      inFlight.add(writing)
      void writing.finally(() => inFlight.delete(writing))
    }
    await pause(2)
  }
  await Promise.all([ended, ...inFlight])
  const p99Ms = latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0
  return { acks, refused, p99Ms }
}

/** The versions of all saves in a service that was restored from the newest verified backup. */
async function restored(folder: string, dataDir: string): Promise<Map<string, number>> {
  const target = join(folder, 'restored')
  const listed = await operate({ dataDir }, 'backups')
  const newest =
    listed.output
      .split('\n')
      .find((line) => line.endsWith('  verified'))
      ?.split('  ')[0] ?? ''
  const { code, errors } = await operate({ dataDir: target }, 'restore', join(dataDir, 'backups', newest))
  if (code !== 0) throw new Error(errors)
  await copyFile(join(dataDir, 'secret.key'), join(target, 'secret.key'))
  const server = await startServer({ SVC_DATA_DIR: target, SVC_BACKUP_HOURS: '0' })
  await stop(server, 'SIGTERM')
  using database = new DatabaseSync(join(target, 'svc.sqlite'))
  const rows = database
    .prepare(`select "playerId", key, version from saves where "environmentId" <> 'env_of_before'`)
    .all()
  return new Map(
    rows.map((row) => [`${String(row['playerId'])}/${String(row['key'])}`, Number(row['version'])]),
  )
}

async function stop(server: ServerProcess, signal: NodeJS.Signals) {
  server.signal(signal)
  await server.ended
}

const medianOf = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const sentence = ({ backups, failed, writes, refused, acknowledged, lost, ...ratios }: Outcome) =>
  `${backups} backups under load, ${failed} not verified; ${writes} writes, ${refused} refused; ` +
  `slowest backup ${ratios.slowestRatio.toFixed(2)} times the quiet one; ` +
  `p99 of writes ${ratios.p99Ratio.toFixed(2)} times (${ratios.p99Ms.map((ms) => ms.toFixed(1)).join(' and ')} ms); ` +
  `${lost} of ${acknowledged} saves acknowledged before the newest backup lost`

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '180' },
      every: { type: 'string', default: '60' },
      megabytes: { type: 'string', default: '100' },
    },
  })
  const outcome = await backUpUnderLoad({
    rate: Number(values.rate),
    seconds: Number(values.seconds),
    every: Number(values.every),
    megabytes: Number(values.megabytes),
    quiet: 3,
  })
  console.log(sentence(outcome))
  const { failed, lost, refused, slowestRatio, p99Ratio } = outcome
  process.exitCode = failed || lost || refused || slowestRatio > 3 || p99Ratio > 1.3 ? 1 : 0
}
