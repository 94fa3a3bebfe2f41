import { type ExpressionBuilder, type Kysely, sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { deleteBy, insertRow, selectBy, updateBy, upsertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }

type DeploymentRow = Tables['hosting_deployments']
/** Without its files, which may have megabytes. */
export type DeploymentSummary = Omit<DeploymentRow, 'environmentId' | 'projectId' | 'files'> & {
  createdBy: string | null
}
export type Activated = Pick<DeploymentRow, 'id' | 'version'> & { activatedAt: string }
type LiveRow = Tables['hosting_live']
export type Live = Omit<LiveRow, 'environmentId' | 'kept'>
export type HostingStore = ReturnType<typeof createHostingStore>

/** Deployments, which of them is live, and suspended projects. */
export const createHostingStore = (db: Database) => ({
  ...hosting(db),
  in: hosting,
  /** Serializes all changes in a project that use, activate or remove blobs. */
  change: <T>(projectId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`hosting:${projectId}`, work),
})

type One = { environmentId: string; id: string }

function hosting(queries: Queries) {
  return {
    async insert(deployment: DeploymentRow, createdBy: string) {
      await queries.run(insertDeployment, deployment)
      const { environmentId, id: deploymentId } = deployment
      await queries.run(insertAuthor, { environmentId, deploymentId, createdBy })
    },
    list: (environmentId: string, limit: number) => queries.all(listDeployments, { environmentId, limit }),
    /** Finds a deployment by its id or its version. */
    find: (environmentId: string, ref: string) =>
      /^[1-9]\d{0,8}$/.test(ref)
        ? queries.first(findByVersion, { environmentId, version: Number(ref) })
        : queries.first(findById, { environmentId, id: ref }),
    filesOf: async (environmentId: string, id: string) =>
      (await queries.first(findFiles, { environmentId, id }))?.files,
    setFinalized: (environmentId: string, id: string) => queries.run(setFinalized, { environmentId, id }),
    setActivated: (deployment: One & { activatedAt: string }) => queries.run(setActivated, deployment),
    async remove(environmentId: string, id: string) {
      await queries.run(removeDeployment, { environmentId, id })
      await queries.run(removeAuthor, { environmentId, deploymentId: id })
    },
    /** Only the newest `keptMax` stay. */
    async noteActivation(activation: Tables['hosting_activations'], keptMax: number) {
      const { environmentId, number } = activation
      await queries.run(insertActivation, activation)
      await queries.run(removeActivationsUpTo, { environmentId, number: number - keptMax })
    },
    activations: (environmentId: string, limit: number) =>
      queries.all(listActivations, { environmentId, limit }),
    /** The deployments that are or were live. */
    activated: async (environmentId: string) =>
      (await queries.all(listActivated, { environmentId })) as Activated[],
    upTo: (environmentId: string, version: number) => queries.all(listUpTo, { environmentId, version }),
    projectOf: async (environmentId: string) =>
      (await queries.first(findProject, { environmentId }))?.projectId,
    idsOfProject: (projectId: string) => queries.all(listIdsOfProject, { projectId }),

    live: (environmentId: string) => queries.first(findLive, { environmentId }),
    kept: async (environmentId: string) => (await queries.first(findKept, { environmentId }))?.kept,
    countVersion: (environmentId: string, lastVersion: number) =>
      queries.run(countVersion, { environmentId, lastVersion, ...NOTHING_LIVE }),
    setLive: (live: Omit<LiveRow, 'lastVersion'>) => queries.run(setLive, live),

    firstCreatedAt: async (environmentId: string) =>
      (await queries.first(findFirst, { environmentId }))?.createdAt ?? null,

    isSuspended: async (projectId: string) =>
      (await queries.first(findSuspension, { projectId })) !== undefined,
    setSuspended: (projectId: string, suspendedAt: string | null) =>
      queries.run(setSuspended, { projectId, suspendedAt, sweepAt: null }),

    async removeEnvironment(environmentId: string) {
      await queries.run(removeDeployments, { environmentId })
      await queries.run(removeLive, { environmentId })
      await queries.run(removeAuthors, { environmentId })
      await queries.run(removeActivations, { environmentId })
    },
  }
}

const summary = [
  'id',
  'version',
  'status',
  'message',
  'fileCount',
  'totalBytes',
  'createdAt',
  'activatedAt',
] as const

/** In a separate table, see the migration. */
const author = (e: ExpressionBuilder<Tables, 'hosting_deployments'>) =>
  e
    .selectFrom('hosting_authors as author')
    .select('author.createdBy')
    .whereRef('author.environmentId', '=', 'hosting_deployments.environmentId')
    .whereRef('author.deploymentId', '=', 'hosting_deployments.id')
    .as('createdBy')

const insertAuthor = insertRow('hosting_authors', ['environmentId', 'deploymentId', 'createdBy'])
const removeAuthor = deleteBy('hosting_authors', ['environmentId', 'deploymentId'])
const insertActivation = insertRow('hosting_activations', [
  'environmentId',
  'number',
  'version',
  'at',
  'activatedBy',
])
const removeActivationsUpTo = statement(
  (q, { environmentId, number }: { environmentId: string; number: number }) =>
    q
      .deleteFrom('hosting_activations')
      .where('environmentId', '=', environmentId)
      .where('number', '<=', number),
)
const listActivations = statement((q, { environmentId, limit }: { environmentId: string; limit: number }) =>
  q
    .selectFrom('hosting_activations')
    .select(['version', 'at', 'activatedBy'])
    .where('environmentId', '=', environmentId)
    .orderBy('number', 'desc')
    .limit(limit),
)
const removeAuthors = deleteBy('hosting_authors', ['environmentId'])
const removeActivations = deleteBy('hosting_activations', ['environmentId'])
const insertDeployment = insertRow('hosting_deployments', ['environmentId', 'projectId', ...summary, 'files'])
/** The deployments of an environment, without their files. */
const deployments = (q: Kysely<Tables>, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('hosting_deployments')
    .select(summary)
    .select(author)
    .where('environmentId', '=', environmentId)
const listDeployments = statement((q, page: { environmentId: string; limit: number }) =>
  deployments(q, page).orderBy('version', 'desc').limit(page.limit),
)
const findById = statement((q, one: One) => deployments(q, one).where('id', '=', one.id))
const findByVersion = statement((q, one: { environmentId: string; version: number }) =>
  deployments(q, one).where('version', '=', one.version),
)
const findFiles = selectBy('hosting_deployments', ['files'], ['environmentId', 'id'])
const setFinalized = statement((q, { environmentId, id }: One) =>
  q
    .updateTable('hosting_deployments')
    .set({ status: sql.lit('finalized') })
    .where((e) => e.and({ environmentId, id })),
)
const setActivated = updateBy('hosting_deployments', ['activatedAt'], ['environmentId', 'id'])
const removeDeployment = deleteBy('hosting_deployments', ['environmentId', 'id'])
const listIdsOfProject = selectBy('hosting_deployments', ['environmentId', 'id'], ['projectId'])

const listActivated = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('hosting_deployments')
    .select(['id', 'version', 'activatedAt'])
    .where('environmentId', '=', environmentId)
    .where('activatedAt', 'is not', null),
)
const listUpTo = statement((q, { environmentId, version }: { environmentId: string; version: number }) =>
  q
    .selectFrom('hosting_deployments')
    .select('id')
    .where('environmentId', '=', environmentId)
    .where('version', '<=', version),
)
const findFirst = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('hosting_deployments')
    .select('createdAt')
    .where('environmentId', '=', environmentId)
    .orderBy('version')
    .limit(sql.lit(1)),
)
const findProject = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('hosting_deployments')
    .select('projectId')
    .where('environmentId', '=', environmentId)
    .limit(sql.lit(1)),
)

const findLive = selectBy(
  'hosting_live',
  ['lastVersion', 'deploymentId', 'version', 'activations'],
  ['environmentId'],
)
const findKept = selectBy('hosting_live', ['kept'], ['environmentId'])
const NOTHING_LIVE = { deploymentId: null, version: null, activations: 0, kept: '[]' }
const countVersion = upsertRow(
  'hosting_live',
  ['environmentId', 'lastVersion', 'deploymentId', 'version', 'activations', 'kept'],
  ['environmentId'],
  ['lastVersion'],
)
const setLive = updateBy(
  'hosting_live',
  ['deploymentId', 'version', 'activations', 'kept'],
  ['environmentId'],
)

const findSuspension = statement((q, { projectId }: { projectId: string }) =>
  q
    .selectFrom('hosting_projects')
    .select('suspendedAt')
    .where('projectId', '=', projectId)
    .where('suspendedAt', 'is not', null),
)
const setSuspended = upsertRow(
  'hosting_projects',
  ['projectId', 'sweepAt', 'suspendedAt'],
  ['projectId'],
  ['suspendedAt'],
)

const removeDeployments = deleteBy('hosting_deployments', ['environmentId'])
const removeLive = deleteBy('hosting_live', ['environmentId'])
