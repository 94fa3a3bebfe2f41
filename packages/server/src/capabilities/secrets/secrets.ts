import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Vault } from '../../platform/security/vault.ts'
import type { SecretStore, Transaction } from './store.ts'

export type Secrets = ReturnType<typeof createSecrets>
export type Rotation = { resealed: number; alreadyCurrent: number; unreadable: number }

/** Encrypted at the first start; a key that cannot decrypt it is not the key of this database. */
const CANARY_ID = 'canary'
const ATTEMPTS_MAX = 10

const WRONG_KEY =
  'The secret key does not match this database. Start with the key that the database was created with: ' +
  'set SVC_SECRET_KEY to it, or put the file secret.key back into the data folder.'

/** Credentials, webhook secrets and other values that must be readable later; stored encrypted. */
export function createSecrets(store: SecretStore, vault: Vault, clock: Clock) {
  const sealedRow = (id: string, plaintext: string) => ({
    id,
    sealed: vault.seal(recordId(id), plaintext),
    updatedAt: timestamp(clock),
  })

  /** A concurrent writer already encrypts with the current key, so a lost race needs no retry. */
  async function reseal(id: string, found: string): Promise<keyof Rotation> {
    let sealed: string | undefined = found
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      if (!sealed || vault.isCurrent(sealed)) return 'alreadyCurrent'
      const plaintext = tryOpen(id, sealed)
      if (plaintext === undefined) return 'unreadable'
      if (await store.exchange(id, sealed, vault.seal(recordId(id), plaintext))) return 'resealed'
      sealed = await store.find(id)
    }
    throw new Error(
      `Another node still encrypts ${id} with an older key. Give all nodes the same SVC_SECRET_KEY first.`,
    )
  }

  function tryOpen(id: string, sealed: string): string | undefined {
    try {
      return vault.open(recordId(id), sealed)
    } catch {
      return undefined
    }
  }

  return {
    async write(transaction: Transaction, id: string, plaintext: string): Promise<void> {
      await store.write(transaction, sealedRow(id, plaintext))
    },

    async read(id: string, transaction?: Transaction): Promise<string | undefined> {
      const sealed = await store.find(id, transaction)
      return sealed === undefined ? undefined : vault.open(recordId(id), sealed)
    },

    /** A secret of the service itself: created at its first use, the same on every node. */
    async getOrCreate(id: string, make: () => string): Promise<string> {
      await store.insertIfNone(sealedRow(id, make()))
      const sealed = await store.find(id)
      if (sealed === undefined) throw new Error(`the secret ${id} was removed while it was created`)
      return vault.open(recordId(id), sealed)
    },

    async remove(transaction: Transaction, id: string): Promise<void> {
      await store.remove(transaction, id)
    },

    /** Removes the secrets whose ids are `from` or later and before `before`, in the order of their characters. */
    removeRange: (from: string, before: string): Promise<number> => store.removeRange(from, before),

    /** Call at every start, before requests are served. Of two concurrent first starts with different keys, one fails. */
    async verifyKey(): Promise<void> {
      await store.insertIfNone(sealedRow(CANARY_ID, 'sings'))
      const canary = await store.find(CANARY_ID)
      if (canary === undefined || tryOpen(CANARY_ID, canary) === undefined) throw new Error(WRONG_KEY)
    },

    /** Encrypts all secrets again with the current key. Can be repeated, and run while the service is in use. */
    async rotate(): Promise<Rotation> {
      const rotation: Rotation = { resealed: 0, alreadyCurrent: 0, unreadable: 0 }
      for await (const { id, sealed } of store.walk()) {
        if (id !== CANARY_ID) rotation[await reseal(id, sealed)]++
      }
      // The canary is encrypted again last: if the old key is removed earlier, the service does not start.
      const canary = await store.find(CANARY_ID)
      if (canary !== undefined && rotation.unreadable === 0) rotation[await reseal(CANARY_ID, canary)]++
      return rotation
    },
  }
}

const recordId = (id: string) => `secrets:${id}`
