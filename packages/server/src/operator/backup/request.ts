import type { Report } from './places/place.ts'
import type { BackupSettings } from './settings.ts'

/** What the service sends to the process that writes a backup. */
export type BackupRequest = { settings: BackupSettings; name: string; createdAt: string }

/** What that process answers, if there is an archive. */
export type BackupResult = { name: string; bytes: number; report: Report }
