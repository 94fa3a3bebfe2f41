import { existsSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Settings } from '../../settings.ts'
import { VERSION } from '../../version.ts'
import type { Output } from '../task.ts'
import { openPlace } from './places/open.ts'

/** `svc-server backup <file>`. Returns the exit code. */
export async function backUpCommand(
  settings: Settings,
  file: string,
  mayLackFiles: boolean,
  { print, complain }: Output,
): Promise<number> {
  const { backUp } = await import('./backup.ts')
  const { bytes, notes, report } = await backUp(settings, file, { mayLackFiles })
  const failures = report?.failures ?? []
  if (failures.length > 0) {
    complain(`${file} was written, but it cannot be restored: ${failures.join('; ')}`)
    return 1
  }
  const isSealed = settings.backup.key !== undefined
  print(
    `wrote ${file} (${megabytes(bytes)}) and verified it. ${isSealed ? 'It is sealed' : 'It contains personal data: store it where nobody else can read it'}`,
  )
  for (const note of notes) print(`Not in this backup, store separately: ${note}`)
  for (const notice of report?.notices.filter((one) => !notes.includes(one)) ?? []) print(notice)
  return 0
}

/** `svc-server restore <archive>`. */
export async function restoreCommand(
  settings: Settings,
  archive: string,
  { print }: Output,
): Promise<number> {
  const { restore } = await import('./restore.ts')
  const notes = await restore(settings, archive)
  print(`restored ${settings.dataDir}; you can start the service now`)
  for (const note of notes) print(note)
  return 0
}

/** `svc-server restore --at <time> [<folder of backups, or one backup in it>]`. */
export async function restoreAtCommand(
  settings: Settings,
  time: string,
  from: string | undefined,
  { print }: Output,
): Promise<number> {
  const { restoreAt } = await import('./wal/restore-at.ts')
  const { at, notes } = await restoreAt(settings, time, from)
  print(`restored ${settings.dataDir}: the database of ${at}`)
  for (const note of notes) print(note)
  return 0
}

/** `svc-server restore <archive> --check`: reports what is in it, and changes nothing. */
export async function checkCommand(
  settings: Settings,
  archive: string,
  { print, complain }: Output,
): Promise<number> {
  const { openSource } = await import('./restore.ts')
  const { verifyArchive } = await import('./verify.ts')
  await using source = await openSource(settings, archive)
  // The data folder may not exist yet, and must not be changed if it is empty.
  const isInUse = existsSync(join(settings.dataDir, 'blobs'))
  await using temporary = isInUse ? undefined : await mkdtempDisposable(join(tmpdir(), 'svc-check-'))
  const { manifest, failures, notices } = await verifyArchive(
    settings,
    source.read(),
    temporary?.path ?? settings.dataDir,
  )
  if (manifest) {
    const { version, engine, schema, createdAt, tables, files } = manifest
    const rows = Object.values(tables).reduce((sum, count) => sum + count, 0)
    const all = Object.values(files)
    print(`${source.name}: written at ${createdAt} by svc ${version}, ${engine}, schema ${schema}`)
    print(
      `${Object.keys(tables).length} tables with ${rows} rows; ${all.length} files, ${megabytes(all.reduce((sum, { bytes }) => sum + bytes, 0))}`,
    )
  }
  for (const notice of notices) print(notice)
  if (failures.length > 0) {
    complain(`${source.name} cannot be restored: ${failures.join('; ')}.`)
    return 1
  }
  print(`It is complete, and this program (svc ${VERSION}) can restore it.`)
  return 0
}

/** `svc-server backups`: lists the backups that the service created. */
export async function listCommand(settings: Settings, { print }: Output): Promise<number> {
  await using place = await openPlace(settings)
  const stored = await place.list()
  for (const { name, bytes, report } of stored) {
    const state =
      report === undefined
        ? 'not verified'
        : report.verifiedAt
          ? 'verified'
          : `failed: ${report.failures.join('; ')}`
    print([name, megabytes(bytes), state].join('  '))
  }
  if (stored.length === 0) print('There are no backups.')
  return 0
}

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`
