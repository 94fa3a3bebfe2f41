import { openSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { columns, statement, type Tables } from '../../src/engines/database/database.ts'
import { type DatabaseOptions, openDatabase } from '../../src/engines/database/open.ts'
import { systemClock } from '../../src/platform/clock.ts'

/**
 * The process that is killed. Each writer records a response in a file outside the data folder before its next write starts. With
 * --no-sync the disk is never synced, and the harness must detect it.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    answers: { type: 'string', default: '' },
    run: { type: 'string', default: '0' },
    writers: { type: 'string', default: '12' },
    sync: { type: 'string', default: 'group' },
    'no-sync': { type: 'boolean', default: false },
  },
})

const insert = statement((q, secret: Tables['secrets']) =>
  q.insertInto('secrets').values(columns(secret, ['id', 'sealed', 'updatedAt'])),
)
const readHead = statement((q, { projectId }: { projectId: string }) =>
  q.selectFrom('audit_heads').select('sequence').where('projectId', '=', projectId),
)
const writeHead = statement((q, { projectId, sequence }: { projectId: string; sequence: number }) =>
  q
    .insertInto('audit_heads')
    .values({ projectId, sequence, hash: '' })
    .onConflict((conflict) => conflict.column('projectId').doUpdateSet({ sequence })),
)

const MIB = 1024 * 1024
// Small limits, so that many checkpoints of both kinds happen in the short life of this process.
const logLimits = {
  checkpointEveryBytes: MIB / 2,
  checkpointPauseMs: 50,
  truncateAtBytes: 4 * MIB,
  keepMs: 40,
}
// A checkpoint also syncs, and would hide some of the losses.
const never: NonNullable<DatabaseOptions['sqlite']> = {
  sync: (_descriptor, done) => void setImmediate(done, null),
  logLimits: {
    checkpointEveryBytes: 1024 * MIB,
    checkpointPauseMs: 0,
    truncateAtBytes: 1024 * MIB,
    keepMs: 600_000,
  },
}

const syncMode = values.sync === 'each' ? 'each' : 'group'
const usual: NonNullable<DatabaseOptions['sqlite']> = { logLimits, syncMode }
const sqlite = values['no-sync'] ? never : usual
const db = await openDatabase({ dataDir: values.data, clock: systemClock, log: () => {}, sqlite })
const answers = openSync(values.answers, 'a')
const sealed = 'x'.repeat(300)

async function writer(number: number) {
  const counter = `${values.run}:${number}`
  for (let count = 1; ; count++) {
    const id = `${counter}:${count}`
    await db.run(insert, { id, sealed, updatedAt: '' })
    writeSync(answers, `${id}\n`)
    if (count % 5) continue

    const sequence = await db.exclusively(counter, async (transaction) => {
      const head = await transaction.first(readHead, { projectId: counter })
      const next = (head?.sequence ?? 0) + 1
      await transaction.run(writeHead, { projectId: counter, sequence: next })
      return next
    })
    writeSync(answers, `${counter} ${sequence}\n`)
  }
}

console.log('writing')
await Promise.all(Array.from({ length: Number(values.writers) }, (_, number) => writer(number)))
