import type { Entry, Goal, Line } from '../harness.ts'
import type { Metrics } from '../metrics.ts'
import { freshFolder, startScript } from '../processes.ts'
import type { Writing } from '../targets/sqlite-writes.ts'

const BARE = 'bare node:sqlite, one commit each'
const ADDED_MS = [0, 1, 5]
const WRITERS = [1, 16, 64, 256]

/** The goal is for 1 ms added. With fewer writers, too few writes share a sync. */
const TEN_TIMES: Goal = { number: 4, baseline: BARE, atLeast: 10 }
const TEN_TIMES_WRITERS_MIN = 64
const READS: Goal = { number: 4, metric: 'readP99Ms', atMost: 30 }

export function sqliteWriteEntries(opened: AsyncDisposableStack): Entry[] {
  const engine = startWriting(opened, 'engine')
  const bare = startWriting(opened, 'bare')

  const line = (name: string, script: typeof engine, task: Omit<Writing, 'ms'>, goal?: Goal): Line => ({
    name,
    measure: (ms) => script.ask({ ...task, ms }, ms),
    ...(goal && { goals: [goal] }),
  })

  const writes = ADDED_MS.map((addedMs): Entry => ({
    name: `SQLite durable writes, ${addedMs} ms added per sync`,
    about: `Rows of 300 bytes through the database engine, each acknowledged when it is durable. Bare: synchronous=FULL, with ${addedMs} ms added after each commit.`,
    comparedMetric: 'perSecond',
    baselines: [BARE],
    lines: [
      ...WRITERS.map((writers) => {
        const hasGoal = addedMs === 1 && writers >= TEN_TIMES_WRITERS_MIN
        return line(`svc, ${count(writers)}`, engine, { writers, addedMs }, hasGoal ? TEN_TIMES : undefined)
      }),
      line(BARE, bare, { writers: 1, addedMs }),
    ],
  }))

  const withReads = { addedMs: 5, readEveryMs: 2 }
  const reads: Entry = {
    name: 'SQLite reads during writes, 5 ms added per sync',
    about: 'A read every 2 ms, counted from the moment it was due, while other clients write continuously.',
    comparedMetric: 'readP99Ms',
    baselines: [BARE],
    lines: [
      line('svc, 64 writers', engine, { writers: 64, ...withReads }, READS),
      line(BARE, bare, { writers: 1, ...withReads }),
    ],
  }
  return [...writes, reads]
}

function startWriting(opened: AsyncDisposableStack, kind: 'engine' | 'bare') {
  const args = ['--kind', kind, '--data', freshFolder()]
  const script = startScript<Writing, Metrics>('targets/sqlite-writes.ts', args)
  opened.defer(script.end)
  return script
}

const count = (writers: number) => (writers === 1 ? '1 writer' : `${writers} writers`)
