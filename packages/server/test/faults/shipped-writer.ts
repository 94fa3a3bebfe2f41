import { openSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { columns, statement, type Tables } from '../../src/engines/database/database.ts'
import { openDatabase } from '../../src/engines/database/open.ts'
import { createShipping, shippingOptions } from '../../src/operator/backup/wal/shipping.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { readSettings } from '../../src/settings.ts'

/** The process that `shipped-kill.ts` kills: writes rows while the log is copied. Records `<id> <time>` when a row is acknowledged. */
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    answers: { type: 'string', default: '' },
    run: { type: 'string', default: '0' },
    every: { type: 'string', default: '200' },
  },
})
const MIB = 1024 * 1024
// Small limits, so that the log is copied and restarted many times in the short life of this process.
const logLimits = { checkpointEveryBytes: MIB / 4, checkpointPauseMs: 20, truncateAtBytes: MIB, keepMs: 150 }

const insert = statement((q, secret: Tables['secrets']) =>
  q.insertInto('secrets').values(columns(secret, ['id', 'sealed', 'updatedAt'])),
)
const settings = readSettings({ SVC_DATA_DIR: values.data, SVC_BACKUP_WAL_SECONDS: '1' })
const shipping = createShipping({
  ...shippingOptions(settings, console.error),
  everyMs: Number(values.every),
})
const db = await openDatabase({
  dataDir: values.data,
  clock: systemClock,
  log: () => {},
  sqlite: { logLimits, shipping },
})
const answers = openSync(values.answers, 'a')

async function writer(number: number) {
  for (let count = 0; ; count++) {
    const id = `${values.run}:${number}:${count}`
    await db.run(insert, { id, sealed: 'x'.repeat(count % 900), updatedAt: '' })
    writeSync(answers, `${id} ${systemClock.now().toISOString()}\n`)
  }
}

console.log('writing')
await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)))
