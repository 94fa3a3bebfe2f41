import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../../engines/database/database.ts'
import { removalUpTo } from '../../../engines/database/removal.ts'
import { removeOld } from '../../../engines/database/remove-old.ts'
import { deleteBy, insertRow, selectBy } from '../../../engines/database/row-statements.ts'

export type { Transaction }

export type GrantRow = Tables['agents_grants']
export type CodeRow = Tables['agents_codes']
export type ClientRow = Tables['agents_clients']
export type GrantStore = ReturnType<typeof createGrantStore>

/** Grants, their codes, and the clients that operators have added. */
export const createGrantStore = (db: Database) => ({
  ...grants(db),
  in: grants,
  /** The same lock as that of the agents of an environment, because a grant and its agent change together. */
  change: <T>(environmentId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`agents:${environmentId}`, work),
  async purgeExpired(now: string, stopping?: AbortSignal) {
    await removeOld(db, expiredCodes, now, stopping)
    await removeOld(db, expiredGrants, now, stopping)
  },
})

type Renewed = { id: string; refreshHash: string; currentHash: string; generation: number } & Renewal
type Renewal = { renewedAt: string | null; renewSalt: string | null }

function grants(queries: Queries) {
  return {
    insert: (row: GrantRow) => queries.run(insertGrant, row),
    find: (id: string) => queries.first(findGrant, { id }),
    findByRefreshHash: (refreshHash: string) => queries.first(findByRefreshHash, { refreshHash }),
    findByTokenHash: (hash: string) => queries.first(findByTokenHash, { hash }),
    renew: (renewed: Renewed) => queries.run(renew, renewed),

    insertCode: (row: CodeRow) => queries.run(insertCode, row),
    findCode: (codeHash: string) => queries.first(findCode, { codeHash }),
    /** False unless it is the first use. */
    useCode: async (codeHash: string, usedAt: string) =>
      (await queries.run(useCode, { codeHash, usedAt })) === 1,

    insertClient: (row: ClientRow) => queries.run(insertClient, row),
    findClient: (id: string) => queries.first(findClient, { id }),
    listClients: () => queries.all(listClients, {}),
    removeClient: async (id: string) => (await queries.run(removeClient, { id })) === 1,
  }
}

const grantColumns = [
  'id',
  'agentId',
  'developerId',
  'environmentId',
  'clientId',
  'refreshHash',
  'currentHash',
  'generation',
  'renewedAt',
  'renewSalt',
  'createdAt',
  'expiresAt',
] as const
const codeColumns = [
  'codeHash',
  'grantId',
  'environmentId',
  'challenge',
  'redirectUri',
  'expiresAt',
  'usedAt',
] as const
const clientColumns = ['id', 'name', 'redirectUris', 'createdAt'] as const

const insertGrant = insertRow('agents_grants', grantColumns)
const findGrant = selectBy('agents_grants', grantColumns, ['id'])
const findByRefreshHash = selectBy('agents_grants', grantColumns, ['refreshHash'])
const findByTokenHash = statement((q, { hash }: { hash: string }) =>
  q
    .selectFrom('agents_grants as grant')
    .innerJoin('agents_tokens as token', 'token.grantId', 'grant.id')
    .selectAll('grant')
    .where('token.hash', '=', hash),
)
const renew = statement((q, { id, refreshHash, currentHash, generation, renewedAt, renewSalt }: Renewed) =>
  q
    .updateTable('agents_grants')
    .set({ refreshHash, currentHash, generation, renewedAt, renewSalt })
    .where('id', '=', id),
)

const insertCode = insertRow('agents_codes', codeColumns)
const findCode = selectBy('agents_codes', codeColumns, ['codeHash'])
const useCode = statement((q, { codeHash, usedAt }: { codeHash: string; usedAt: string }) =>
  q.updateTable('agents_codes').set({ usedAt }).where('codeHash', '=', codeHash).where('usedAt', 'is', null),
)

const insertClient = insertRow('agents_clients', clientColumns)
const findClient = selectBy('agents_clients', clientColumns, ['id'])
const listClients = statement((q) => q.selectFrom('agents_clients').select(clientColumns).orderBy('id'))
const removeClient = deleteBy('agents_clients', ['id'])

const expiredGrants = removalUpTo('agents_grants', ['expiresAt'])
const expiredCodes = removalUpTo('agents_codes', ['expiresAt'])
