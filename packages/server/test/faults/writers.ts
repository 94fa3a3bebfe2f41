import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

import { openDatabase } from '../../src/engines/database/open.ts'
import type { SyncMode } from '../../src/engines/database/sqlite/file.ts'
import { systemClock } from '../../src/platform/clock.ts'

const START_TIMEOUT_MS = 60_000
const FIRST_RESPONSE_POLL_MS = 20

/** A process that writes, and a function that counts the acknowledged writes that were lost. */
export type Workload = { script: string; lost(database: DatabaseSync, answers: readonly string[]): number }

export type Writers = {
  workload: Workload
  data: string
  answers: string
  run: number
  noSync?: boolean
  syncMode?: SyncMode
}
export type Tally = {
  runs: number
  acknowledged: number
  lost: number
  runsWithLoss: number
  broken: number
  slowestOpenMs: number
}

export const emptyTally = (): Tally => ({
  runs: 0,
  acknowledged: 0,
  lost: 0,
  runsWithLoss: 0,
  broken: 0,
  slowestOpenMs: 0,
})

/** Starts the writers; resolves at a random moment of their work. */
export async function startWriters({
  workload,
  data,
  answers,
  run,
  noSync = false,
  syncMode = 'group',
}: Writers): Promise<ChildProcess> {
  const script = join(import.meta.dirname, workload.script)
  const flags = ['--data', data, '--answers', answers, '--run', String(run), '--sync', syncMode]
  if (noSync) flags.push('--no-sync')
  const child = spawn(process.execPath, ['--conditions=source', script, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const signal = AbortSignal.timeout(START_TIMEOUT_MS)
    await Promise.race([
      once(child.stdout, 'data', { signal }),
      once(child, 'exit', { signal }).then(() =>
        Promise.reject(new Error('the writers ended by themselves')),
      ),
    ])
    // On a busy machine the first response may take seconds; a kill before it would prove nothing.
    while (readAnswers(answers).length === 0) await sleep(FIRST_RESPONSE_POLL_MS, undefined, { signal })
    await sleep(randomInt(100, 900))
    return child
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

export async function killProcess(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  child.kill('SIGKILL')
  await ended
}

/** Opens the database like a start of the service, and compares the acknowledged writes with the contents of the file. */
export async function tally(
  total: Tally,
  workload: Workload,
  data: string,
  answers: readonly string[],
): Promise<Tally> {
  const startedAt = performance.now()
  const db = await openDatabase({ dataDir: data, clock: systemClock, log: () => {} })
  const openMs = performance.now() - startedAt
  await db.close()

  const { lost, isIntact } = readBack(join(data, 'svc.sqlite'), (database) =>
    workload.lost(database, answers),
  )
  return {
    runs: total.runs + 1,
    acknowledged: total.acknowledged + answers.length,
    lost: total.lost + lost,
    runsWithLoss: total.runsWithLoss + (lost > 0 ? 1 : 0),
    broken: total.broken + (isIntact ? 0 : 1),
    slowestOpenMs: Math.max(total.slowestOpenMs, openMs),
  }
}

export const readAnswers = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []

function readBack(path: string, lostIn: (database: DatabaseSync) => number) {
  const database = new DatabaseSync(path)
  try {
    const check = database.prepare('pragma integrity_check').all()
    return { lost: lostIn(database), isIntact: check.length === 1 && check[0]?.integrity_check === 'ok' }
  } finally {
    database.close()
  }
}

export const sentence = (what: string, total: Tally): string =>
  `${what}: ${total.runs} runs, ${total.acknowledged} acknowledged writes, ${total.lost} lost (in ${total.runsWithLoss} runs), ` +
  `${total.broken} broken files, opened again within ${Math.ceil(total.slowestOpenMs)} ms`
