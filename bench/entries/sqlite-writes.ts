import type { Figures } from '../figures.ts'
import type { Entry, Goal, Line } from '../harness.ts'
import { freshFolder, startScript } from '../processes.ts'
import type { Writing } from '../targets/sqlite-writes.ts'

const BARE = 'bare node:sqlite, one commit each'
const ADDED_MS = [0, 1, 5]
const WRITERS = [1, 16, 64, 256]

/** DESIGN.md asks for it with 1 ms added; fewer writers than this cannot share enough. */
const TEN_TIMES: Goal = { number: 4, against: BARE, atLeast: 10 }
const TEN_TIMES_WRITERS_MIN = 64
const READS: Goal = { number: 4, figure: 'readP99Ms', atMost: 30 }

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
    about: `Rows of 300 bytes through the database engine, each answered when it is durable. Bare: synchronous=FULL, ${addedMs} ms more after each commit.`,
    compared: 'perSecond',
    against: [BARE],
    lines: [
      ...WRITERS.map((writers) => {
        const hasGoal = addedMs === 1 && writers >= TEN_TIMES_WRITERS_MIN
        return line(`svc, ${count(writers)}`, engine, { writers, addedMs }, hasGoal ? TEN_TIMES : undefined)
      }),
      line(BARE, bare, { writers: 1, addedMs }),
    ],
  }))

  const beside = { addedMs: 5, readEveryMs: 2 }
  const reads: Entry = {
    name: 'SQLite reads during writes, 5 ms added per sync',
    about:
      'A read every 2 ms, counted from the moment it was due, while others write as fast as they are answered.',
    compared: 'readP99Ms',
    against: [BARE],
    lines: [
      line('svc, 64 writers', engine, { writers: 64, ...beside }, READS),
      line(BARE, bare, { writers: 1, ...beside }),
    ],
  }
  return [...writes, reads]
}

function startWriting(opened: AsyncDisposableStack, kind: 'engine' | 'bare') {
  const args = ['--kind', kind, '--data', freshFolder()]
  const script = startScript<Writing, Figures>('targets/sqlite-writes.ts', args)
  opened.defer(script.end)
  return script
}

const count = (writers: number) => (writers === 1 ? '1 writer' : `${writers} writers`)
