import { join } from 'node:path'

import { systemRandom } from '../../../platform/random.ts'
import type { SecretKeys } from '../../../platform/security/vault.ts'
import { isSealed, seal, unseal } from '../archive/seal.ts'
import { backupKeysOf, type BackupSettings } from '../settings.ts'
import { WAL_FOLDER } from './names.ts'
import { createFolderStore, type WalStore } from './store.ts'

export type StoreSettings = Pick<BackupSettings, 'dataDir' | 'backup'>

/** `SVC_BACKUP_URL`, or the folder, by default `backups/` in the data folder; sealed with `SVC_BACKUP_KEY`. */
export async function openStore(settings: StoreSettings, folder?: string): Promise<WalStore> {
  const { url, credentials } = settings.backup
  const keys = backupKeysOf(settings)
  if (folder !== undefined || url === undefined || !credentials)
    return sealed(createFolderStore(join(folder ?? join(settings.dataDir, 'backups'), WAL_FOLDER)), keys)
  const { openBucketStore } = await import('./bucket-store.ts')
  return sealed(await openBucketStore(url, credentials), keys)
}

/** Without keys nothing is sealed; what is sealed can then not be read. */
function sealed(store: WalStore, keys: SecretKeys | undefined): WalStore {
  return {
    ...store,

    async put(name, content) {
      if (!keys) return store.put(name, content)
      if (!(content instanceof Uint8Array))
        return store.put(name, seal(content as AsyncIterable<Buffer>, keys.current, systemRandom))
      const pieces = await Array.fromAsync(seal(once(content), keys.current, systemRandom))
      return store.put(name, Buffer.concat(pieces))
    },

    async *get(name) {
      const chunks = store.get(name)[Symbol.asyncIterator]()
      const first = await chunks.next()
      const rest = (async function* () {
        for (let next = first; !next.done; next = await chunks.next()) yield Buffer.from(next.value)
      })()
      if (!first.done && isSealed(Buffer.from(first.value))) yield* unseal(rest, keys)
      else yield* rest
    },
  }
}

async function* once(content: Uint8Array) {
  yield Buffer.from(content)
}
