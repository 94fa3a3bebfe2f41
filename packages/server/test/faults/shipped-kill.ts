import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { itemsOf, type StoredItem } from '../../src/operator/backup/wal/history.ts'
import { restoreAt } from '../../src/operator/backup/wal/restore-at.ts'
import { decodeSegment } from '../../src/operator/backup/wal/segment.ts'
import { createFolderStore } from '../../src/operator/backup/wal/store.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readSettings } from '../../src/settings.ts'
import { readAnswers } from './writers.ts'

export type ShippedTally = {
  kills: number
  restored: number
  acknowledged: number
  /** Acknowledged before the restored moment, and missing. */
  lost: number
  broken: number
  generations: number
  runs: number
  /** Between the newest moment that can be restored and the kill. */
  longestLagMs: number
}

const EVERY_MS = 200
const START_TIMEOUT_MS = 60_000

/** Repeats kill -9 of a service whose log is copied, and restores the newest moment and random ones into empty folders. */
export async function shippedKills(kills: number, momentsEach: number): Promise<ShippedTally> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-shipped-'))
  const data = join(folder, 'data')
  const answers = join(folder, 'answers')
  const store = createFolderStore(join(data, 'backups/wal'))
  const total = {
    kills: 0,
    restored: 0,
    acknowledged: 0,
    lost: 0,
    broken: 0,
    generations: 0,
    runs: 0,
    longestLagMs: 0,
  }
  try {
    for (let run = 0; run < kills; run++) {
      const known = itemsOf(await store.list('')).length
      const isStored = async () =>
        itemsOf(await store.list('')).length > known + 3 && (await points(store)).length > 0
      const killedAt = await writeAndKill({ data, answers, run, isStored })
      total.kills++
      const restorable = await points(store)
      const newest = restorable.at(-1)
      if (!newest) throw new Error('nothing can be restored')
      total.longestLagMs = Math.max(total.longestLagMs, killedAt - Date.parse(newest.at))
      const chosen = [
        newest,
        ...Array.from({ length: momentsEach - 1 }, () => restorable[randomInt(restorable.length)] ?? newest),
      ]
      for (const point of chosen) {
        const { lost, isIntact } = await restorePoint(store, point, {
          data,
          answers,
          target: join(folder, 'restored'),
        })
        total.restored++
        total.lost += lost
        total.broken += isIntact ? 0 : 1
      }
    }
    const all = itemsOf(await store.list(''))
    return {
      ...total,
      acknowledged: readAnswers(answers).length,
      generations: new Set(all.map(({ generation }) => generation)).size,
      runs: new Set(all.map(({ generation, run }) => `${generation} ${run}`)).size,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Store = ReturnType<typeof createFolderStore>

/** The moments that can be restored: from the first snapshot of each generation. */
async function points(store: Store): Promise<StoredItem[]> {
  const items = itemsOf(await store.list(''))
  const firsts = new Map<string, number>()
  for (const { kind, generation, number } of items)
    if (kind === 'json' && !firsts.has(generation)) firsts.set(generation, number)
  return items.filter(
    ({ kind, generation, number }) => kind === 'wal' && number >= (firsts.get(generation) ?? Infinity),
  )
}

type Killed = { data: string; answers: string; run: number; isStored(): Promise<boolean> }

async function writeAndKill({ data, answers, run, isStored }: Killed): Promise<number> {
  const script = join(import.meta.dirname, 'shipped-writer.ts')
  const flags = ['--data', data, '--answers', answers, '--run', String(run), '--every', String(EVERY_MS)]
  const child = spawn(process.execPath, ['--conditions=source', script, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const signal = AbortSignal.timeout(START_TIMEOUT_MS)
    while (!(await isStored())) await sleep(20, undefined, { signal })
    await sleep(randomInt(50, 1_000))
  } finally {
    child.kill('SIGKILL')
    await ended
  }
  return systemClock.now().getTime()
}

async function restorePoint(
  store: Store,
  point: StoredItem,
  { data, answers, target }: { data: string; answers: string; target: string },
) {
  const { completeUntil } = await decodeSegment(point.name, store.get(point.name))
  await restoreAt(readSettings({ SVC_DATA_DIR: target }), point.at, join(data, 'backups'))
  try {
    using database = new DatabaseSync(join(target, 'svc.sqlite'))
    const check = Object.values(database.prepare('pragma integrity_check').get() ?? {})
    const ids = new Set(
      database
        .prepare('select id from secrets')
        .all()
        .map(({ id }) => id),
    )
    const acknowledged = readAnswers(answers).map((line) => line.split(' '))
    const expected = acknowledged.filter(([, at = '']) => at < completeUntil)
    const later = acknowledged.filter(([id, at = '']) => ids.has(id ?? '') && at < point.at).length
    const lost = expected.filter(([id]) => !ids.has(id ?? '')).length
    return { lost, isIntact: check[0] === 'ok' && later >= expected.length - lost }
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

export const shippedSentence = (total: ShippedTally): string =>
  `${total.kills} kills, ${total.acknowledged} acknowledged writes, ${total.restored} moments restored, ${total.lost} writes lost, ` +
  `${total.broken} broken databases, ${total.generations} generations, ${total.runs} runs of the log, ` +
  `the newest moment at most ${(total.longestLagMs / 1_000).toFixed(1)} s before the kill (a copy every ${EVERY_MS / 1_000} s)`

if (import.meta.main) {
  const { values } = parseArgs({
    options: { kills: { type: 'string', default: '20' }, moments: { type: 'string', default: '4' } },
  })
  const total = await shippedKills(Number(values.kills), Number(values.moments))
  console.log(shippedSentence(total))
  process.exitCode = total.lost || total.broken ? 1 : 0
}
