import { parseSecretKeys, type SecretKeys } from '../../platform/security/vault.ts'
import type { Settings } from '../../settings.ts'

/** What a backup needs of the settings. It is sent to the process that writes it. */
export type BackupSettings = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'blobs' | 'secretKey' | 'functions' | 'backup'
>

export const backupSettingsOf = (settings: BackupSettings): BackupSettings => {
  const { dataDir, databaseUrl, blobs, secretKey, functions, backup } = settings
  return { dataDir, databaseUrl, blobs, secretKey, functions, backup }
}

/** The keys of sealed backups; undefined if backups are not sealed. */
export const backupKeysOf = ({ backup }: Pick<BackupSettings, 'backup'>): SecretKeys | undefined =>
  backup.key === undefined ? undefined : parseSecretKeys(backup.key)
