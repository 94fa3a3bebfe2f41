import type { Audit } from '../../platform/audit.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Keys } from './keys.ts'
import type { ProjectStore, Transaction } from './store.ts'

export type AppKeyDeps = {
  keys: Keys
  audit: Audit<Transaction>
  secrets: {
    read(id: string, transaction?: Transaction): Promise<string | undefined>
    write(transaction: Transaction, id: string, plaintext: string): Promise<void>
  }
}

const LABEL = 'hosting'
const BY_THE_SERVICE = { type: 'system', id: 'hosting', label: 'the service' } as const

/**
 * The publishable key that a hosted app finds at its own address. Of other keys only the hash is known, so this one is kept sealed;
 * it stands in the list of keys, and when it is revoked the next visit makes another.
 */
export function createAppKeys(store: ProjectStore, { keys, audit, secrets }: AppKeyDeps) {
  const secretId = (environment: Environment) => `hosting:key:${environment.id}`

  async function current(environment: Environment, transaction?: Transaction) {
    const text = await secrets.read(secretId(environment), transaction)
    const from = transaction ? store.in(transaction) : store
    return text !== undefined && (await from.findLiveKey(sha256(text))) ? text : undefined
  }

  const make = (environment: Environment): Promise<string> =>
    store.change(environment.projectId, async (transaction) => {
      // Read again inside: of two visits at once the second must see what the first has made.
      const known = await current(environment, transaction)
      if (known !== undefined) return known

      const { plaintext, key } = await keys.insert(transaction, environment, 'publishable', LABEL)
      await secrets.write(transaction, secretId(environment), plaintext)
      await audit.record(transaction, {
        projectId: environment.projectId,
        env: environment.name,
        actor: BY_THE_SERVICE,
        action: 'key.create',
        target: key.id,
        details: { type: key.type, label: LABEL, last4: key.last4 },
      })
      return plaintext
    })

  return { of: async (environment: Environment) => (await current(environment)) ?? (await make(environment)) }
}
