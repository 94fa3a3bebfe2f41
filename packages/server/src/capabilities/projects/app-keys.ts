import type { KeyType } from '@svc/contract/developers/projects'

import { ApiError } from '../../platform/api-error.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { Keys } from './keys.ts'
import type { ProjectStore, Transaction } from './store.ts'

type AppKeyDeps = {
  keys: Keys
  audit: Audit<Transaction>
  secrets: {
    read(id: string, transaction?: Transaction): Promise<string | undefined>
    write(transaction: Transaction, id: string, plaintext: string): Promise<void>
  }
}

/** The purpose of a key of the service: a name in its label, its encrypted record and the audit log. */
type AppKeyPurpose = { label: 'hosting' | 'functions'; type: KeyType }

/**
 * A key that the service itself uses: the publishable key that a hosted app reads on its own host, the secret key of `env.SVC`. For
 * other keys only the hash is stored; these are stored encrypted. They are in the list of keys, and if one is revoked, the next use
 * creates another.
 */
export function createAppKeys(
  store: ProjectStore,
  { label, type }: AppKeyPurpose,
  { keys, audit, secrets }: AppKeyDeps,
) {
  const actor = { type: 'system', id: label, label: 'the service' } as const
  const secretId = (environment: Environment) => `${label}:key:${environment.id}`

  async function current(environment: Environment, transaction?: Transaction) {
    const text = await secrets.read(secretId(environment), transaction)
    const from = transaction ? store.in(transaction) : store
    return text !== undefined && (await from.findLiveKey(sha256(text))) ? text : undefined
  }

  const make = (environment: Environment): Promise<string> =>
    store.change(environment.projectId, async (transaction) => {
      // Read again inside the transaction: of two concurrent requests the second must see the key of the first.
      const known = await current(environment, transaction)
      if (known !== undefined) return known
      // A deleted project gets no keys.
      if (!(await store.in(transaction).current(environment.projectId)))
        throw new ApiError('project_not_found')

      const { plaintext, key } = await keys.insert(transaction, environment, type, label, actor)
      await secrets.write(transaction, secretId(environment), plaintext)
      await audit.record(
        transaction,
        changeIn(environment, actor, 'key.create', key.id, { type: key.type, label, last4: key.last4 }),
      )
      return plaintext
    })

  return { of: async (environment: Environment) => (await current(environment)) ?? (await make(environment)) }
}
