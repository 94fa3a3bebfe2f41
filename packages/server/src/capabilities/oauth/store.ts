import type { Database, Tables, Transaction } from '../../engines/database/database.ts'
import { deleteBy, selectBy, upsertRow } from '../../engines/database/row-statements.ts'

export type { Transaction } from '../../engines/database/database.ts'

export type StoredCredentials = Tables['oauth_credentials']
export type CredentialStore = ReturnType<typeof createCredentialStore>

/** The credentials of providers, without their secrets. */
export const createCredentialStore = (db: Database) => ({
  find: (environmentId: string, provider: string) => db.first(findCredentials, { environmentId, provider }),
  list: (environmentId: string) => db.all(listCredentials, { environmentId }),

  /** Serializes the changes of one provider; settings and secret change together. */
  change: <T>(environmentId: string, provider: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`oauth:${environmentId}:${provider}`, work),
  write: (transaction: Transaction, credentials: StoredCredentials) =>
    transaction.run(writeCredentials, credentials),
  /** False if there was nothing to remove. */
  remove: async (transaction: Transaction, environmentId: string, provider: string) =>
    (await transaction.run(removeCredentials, { environmentId, provider })) === 1,
})

const credentialColumns = ['environmentId', 'provider', 'settings', 'updatedAt'] as const

const findCredentials = selectBy('oauth_credentials', credentialColumns, ['environmentId', 'provider'])

const listCredentials = selectBy('oauth_credentials', credentialColumns, ['environmentId'])

const writeCredentials = upsertRow(
  'oauth_credentials',
  ['environmentId', 'provider', 'settings', 'updatedAt'],
  ['environmentId', 'provider'],
)

const removeCredentials = deleteBy('oauth_credentials', ['environmentId', 'provider'])
