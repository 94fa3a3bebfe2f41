import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { copyToPostgres, type CopyProgress, undoCopy } from '../engines/database/copy/copy-to-postgres.ts'
import { systemClock } from '../platform/clock.ts'
import type { Settings } from '../settings.ts'
import { VERSION } from '../version.ts'

/**
 * `svc-server copy --to postgres://…`: copies SQLite to PostgreSQL. Without `--to`, to DATABASE_URL, so that the password need not be
 * in the list of processes.
 */
export async function runCopy(settings: Settings, to = settings.databaseUrl): Promise<void> {
  if (to === undefined || !/^postgres(?:ql)?:\/\//.test(to))
    throw new Error(
      'copy needs the address of an empty PostgreSQL database: --to postgres://user@host/database',
    )
  const { dataDir } = settings
  const progress = progressOn(process.stderr)
  const begunAt = performance.now()
  const { rows, tables, wasComplete } = await copyToPostgres({
    dataDir,
    to,
    clock: systemClock,
    version: VERSION,
    log: (line) => console.log(line),
    onProgress: progress.show,
  }).finally(progress.end)

  const seconds = ((performance.now() - begunAt) / 1_000).toFixed(1)
  console.log(
    wasComplete
      ? `The copy was complete already: ${rows} rows of ${tables} tables are the same in both databases.`
      : `Copied ${rows} rows of ${tables} tables in ${seconds} s, and compared them.`,
  )
  console.log('Start the service with DATABASE_URL set to that database. It no longer starts on SQLite.')
  const folders = remaining(settings)
  if (folders.length > 0) {
    console.log(
      `These stay in ${dataDir}. Keep the folder, or move them to the data folder of the new machine:`,
    )
    for (const line of folders) console.log(`  ${line}`)
  }
}

/** `svc-server copy --undo`. */
export async function runUndoCopy({ dataDir }: Settings): Promise<void> {
  const copiedTo = await undoCopy(dataDir)
  console.log(
    copiedTo === undefined
      ? 'This SQLite database is not marked as copied. Nothing was changed.'
      : `The service starts on SQLite again, without what was written to ${copiedTo} since the copy.`,
  )
}

/** What the service reads from the data folder also with PostgreSQL. */
function remaining({ dataDir, secretKey, blobs, functions }: Settings): string[] {
  return [
    ...(secretKey === undefined && existsSync(join(dataDir, 'secret.key'))
      ? ['secret.key: the key of all secrets in the database (or set SVC_SECRET_KEY to its content)']
      : []),
    ...(blobs.url === undefined && existsSync(join(dataDir, 'blobs'))
      ? ['blobs/: files of hosted apps, functions and cards; several nodes need SVC_BLOBS_URL']
      : []),
    ...(functions.folder === join(dataDir, 'functions') && existsSync(functions.folder)
      ? ['functions/: databases and other data of functions; several nodes need FUNCTIONS_DIR']
      : []),
  ]
}

/** One line that is written again and again, on a terminal only. */
function progressOn(terminal: NodeJS.WriteStream) {
  let shownAt = 0
  return {
    show({ table, rows, ofRows }: CopyProgress) {
      if (!terminal.isTTY || (rows < ofRows && performance.now() - shownAt < 100)) return
      shownAt = performance.now()
      const percent = ofRows === 0 ? 100 : Math.floor((100 * rows) / ofRows)
      terminal.write(`\r\x1b[K${table}: ${rows} of ${ofRows} rows, ${percent} %`)
    },
    end: () => void (terminal.isTTY && terminal.write('\r\x1b[K')),
  }
}
