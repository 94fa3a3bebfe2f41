import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { type Rehearsal, rehearseOnPostgres, rehearseOnSqlite } from '../engines/database/copy/rehearsal.ts'
import { copySqlite } from '../engines/database/sqlite/copy.ts'
import { systemClock } from '../platform/clock.ts'
import type { Settings } from '../settings.ts'
import { VERSION } from '../version.ts'
import { createStaging, removeLeftStaging } from './backup/staging.ts'

/** `svc-server upgrade --check`: applies the migrations of this version to a copy, also while the service runs. */
export async function runUpgradeCheck(settings: Settings): Promise<void> {
  const rehearsal = await rehearseUpgrade(settings)
  const { migrations, oldestVersion } = rehearsal
  for (const { name, ms, oldestVersion: oldest } of migrations)
    console.log(
      `${name}  ${(ms / 1_000).toFixed(3)} s${oldest === undefined ? '' : `  ends the use of versions before ${oldest}`}`,
    )
  const totalMs = migrations.reduce((sum, { ms }) => sum + ms, 0)
  console.log(
    migrations.length === 0
      ? `Version ${VERSION} changes nothing in this database.`
      : `${migrations.length} ${migrations.length === 1 ? 'migration' : 'migrations'} of version ${VERSION}, ${(totalMs / 1_000).toFixed(1)} s on a copy. The database itself was not changed.`,
  )
  console.log(
    oldestVersion === undefined || migrations.every((migration) => migration.oldestVersion === undefined)
      ? 'The current version can also run after the upgrade. To go back, start it again. No restore is needed.'
      : `After the upgrade, version ${oldestVersion} and newer can run. To go back to an older one, restore a backup.`,
  )
}

/** Applies the pending migrations to a copy of the database of these settings. */
export async function rehearseUpgrade({
  dataDir,
  databaseUrl,
}: Pick<Settings, 'dataDir' | 'databaseUrl'>): Promise<Rehearsal> {
  const options = { clock: systemClock, version: VERSION }
  if (databaseUrl !== undefined) return rehearseOnPostgres(databaseUrl, options)
  const path = join(dataDir, 'svc.sqlite')
  if (!existsSync(path)) throw new Error(`There is no database in ${dataDir}. Check SVC_DATA_DIR.`)
  await removeLeftStaging(dataDir)
  await using staging = await createStaging(dataDir)
  const copy = join(staging.folder, 'svc.sqlite')
  await copySqlite(path, copy)
  return await rehearseOnSqlite(copy, options)
}
