import { systemClock } from '../../platform/clock.ts'
import { writeArchive } from './archive/write.ts'
import { openPlace } from './places/open.ts'
import type { Place } from './places/place.ts'
import type { BackupResult } from './request.ts'
import { toRemove } from './retention.ts'
import type { BackupSettings } from './settings.ts'
import { removeLeftStaging } from './staging.ts'
import { verifyArchive } from './verify.ts'

/** The content of a file of functions stays for an hour after it was replaced; if that was too short, all is copied again. */
const ATTEMPTS_MAX = 3

/** Writes a backup to where the settings say, verifies it, and removes old ones. What is missing in the service is a notice. */
export async function runBackup(
  settings: BackupSettings,
  { name, createdAt }: { name: string; createdAt: string },
): Promise<BackupResult> {
  await removeLeftStaging(settings.dataDir)
  await using place = await openPlace(settings)
  await place.removeIncomplete()
  const bytes = await writeTo(place, settings, { name, createdAt })
  const { verifiedAt, failures, notices } = await verifyArchive(settings, place.read(name), settings.dataDir)
  const report = { verifiedAt, failures, notices }
  await place.report(name, report)
  if (verifiedAt !== null) {
    // By the time of the newest one: the clock of the service may be another one in tests.
    const nowMs = Math.max(Date.parse(createdAt), systemClock.now().getTime())
    for (const old of toRemove(await place.list(), settings.backup.keep, nowMs)) await place.remove(old.name)
  }
  return { name, bytes, report }
}

async function writeTo(
  place: Place,
  settings: BackupSettings,
  { name, createdAt }: { name: string; createdAt: string },
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const draft = place.draftOf(name)
    const { bytes, isLacking } = await writeArchive(settings, {
      createdAt,
      write: (content) => place.write(name, content),
      ...(draft !== undefined && { draft }),
    })
    if (!isLacking || attempt === ATTEMPTS_MAX) return bytes
    await place.remove(name)
  }
}
