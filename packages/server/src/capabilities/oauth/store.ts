import {
  columns,
  type Database,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'

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

type CredentialKey = { environmentId: string; provider: string }

const findCredentials = statement((q, { environmentId, provider }: CredentialKey) =>
  q
    .selectFrom('oauth_credentials')
    .selectAll()
    .where((e) => e.and({ environmentId, provider })),
)

const listCredentials = statement((q, { environmentId }: { environmentId: string }) =>
  q.selectFrom('oauth_credentials').selectAll().where('environmentId', '=', environmentId),
)

const writeCredentials = statement((q, credentials: StoredCredentials) =>
  q
    .insertInto('oauth_credentials')
    .values(columns(credentials, ['environmentId', 'provider', 'settings', 'updatedAt']))
    .onConflict((conflict) =>
      conflict
        .columns(['environmentId', 'provider'])
        .doUpdateSet(columns(credentials, ['settings', 'updatedAt'])),
    ),
)

const removeCredentials = deleteBy('oauth_credentials', ['environmentId', 'provider'])
