import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { systemClock, timestamp } from '../../platform/clock.ts'
import { writeArchive } from './archive/write.ts'
import { openFolderPlace, writeFileDurably } from './places/folder.ts'
import type { Report } from './places/place.ts'
import type { BackupSettings } from './settings.ts'
import { removeLeftStaging } from './staging.ts'
import { verifyArchive } from './verify.ts'

/** As for the backups of the service (`run.ts`). */
const ATTEMPTS_MAX = 3

export type BackUpOptions = {
  /** Also if the content of a file is missing in the service itself. */
  mayLackFiles?: boolean
  /** Tests that verify an archive elsewhere turn it off. */
  isVerified?: boolean
}

/**
 * Writes a backup to one file, also while the service runs, and verifies it. Returns what an operator has to know. Throws if something
 * is missing in the service itself, unless `mayLackFiles`.
 */
export async function backUp(
  settings: BackupSettings,
  path: string,
  { mayLackFiles = false, isVerified = true }: BackUpOptions = {},
): Promise<{ bytes: number; notes: string[]; report: Report | undefined }> {
  const file = resolve(path)
  if (existsSync(file)) throw new Error(`${file} already exists. Choose another name.`)
  if (!existsSync(settings.dataDir))
    throw new Error(`There is no database in ${settings.dataDir}. Check SVC_DATA_DIR.`)
  await removeLeftStaging(settings.dataDir)

  for (let attempt = 1; ; attempt++) {
    const { manifest, bytes, isLacking } = await writeArchive(settings, {
      createdAt: timestamp(systemClock),
      write: (content) => writeFileDurably(file, content),
      draft: `${file}.part`,
    })
    const isAccepted = manifest.missing.length === 0 || (mayLackFiles && (!isLacking || attempt > 1))
    if (isAccepted) {
      const report = isVerified ? await verified(settings, file) : undefined
      return { bytes, notes: [...excludedFrom(settings), ...manifest.missing], report }
    }
    await rm(file)
    if (!isLacking || attempt === ATTEMPTS_MAX)
      throw new Error(
        `${manifest.missing.join(' ')} Repair or delete it in the service, or back up the rest with --incomplete.`,
      )
  }
}

async function verified(settings: BackupSettings, file: string): Promise<Report> {
  const place = openFolderPlace(dirname(file))
  const { verifiedAt, failures, notices } = await verifyArchive(
    settings,
    place.read(file.slice(dirname(file).length + 1)),
    settings.dataDir,
  )
  return { verifiedAt, failures, notices }
}

/** What an operator must store elsewhere. */
export function excludedFrom({ secretKey, blobs, backup, dataDir }: BackupSettings): string[] {
  return [
    ...(secretKey === undefined && backup.key === undefined
      ? [
          `${dataDir}/secret.key: without it the service does not start on this backup. With SVC_BACKUP_KEY, backups are sealed and contain it`,
        ]
      : []),
    ...(secretKey === undefined
      ? []
      : ['SVC_SECRET_KEY: without it the service does not start on this backup']),
    ...(backup.key === undefined ? [] : ['SVC_BACKUP_KEY: without it nobody can open this backup']),
    ...(blobs.url === undefined ? [] : ['the files in SVC_BLOBS_URL']),
  ]
}
