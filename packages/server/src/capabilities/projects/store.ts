import type { Kysely } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { insertNew, insertRow, selectBy, updateBy } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type ProjectRow = Tables['projects']
export type KeyRow = Tables['projects_keys']
export type EnvironmentRow = Tables['projects_environments']
export type ProjectStore = ReturnType<typeof createProjectStore>

/** Projects with their environments and keys, and the renames of the last hour. */
export const createProjectStore = (db: Database) => ({
  ...projects(db),
  in: projects,
  /** Read-decide-write on one developer's list of projects, or on one project. */
  changeList: <T>(developerId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`projects:${developerId}`, work),
  /** Also prevents the developer from creating or joining a project until the end of the transaction. */
  async listForDeletion(transaction: Transaction, developerId: string) {
    await transaction.lock(`projects:${developerId}`)
    return projects(transaction).list(developerId)
  },
  change: <T>(projectId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`project:${projectId}`, work),
})

const projectColumns = ['id', 'developerId', 'name', 'slug', 'createdAt', 'deletedAt'] as const
const projectColumnsOf = <const Name extends string>(name: Name) =>
  projectColumns.map((column) => `${name}.${column}` as const)
const keyColumns = [
  'id',
  'projectId',
  'environmentId',
  'type',
  'label',
  'hash',
  'last4',
  'plaintext',
  'createdAt',
  'lastUsedAt',
  'revokedAt',
  'createdBy',
] as const

function projects(queries: Queries) {
  return {
    /** The projects that the developer owns. */
    list: (developerId: string) => queries.all(listProjects, { developerId }),
    /** The projects of others that the developer is a member of, with the role. */
    listShared: (developerId: string) => queries.all(listShared, { developerId }),
    /** `memberRole` is null for the owner. Undefined if the developer neither owns the project nor is a member of it. */
    find: (developerId: string, id: string) => queries.first(findProject, { developerId, id }),
    current: (id: string) => queries.first(currentProject, { id }),
    findEnvironment: (id: string) => queries.first(findEnvironment, { id }),
    findBySlug: (slug: string, name: string) => queries.first(findBySlug, { slug, name }),
    ownerOf: async (id: string) => (await queries.first(findOwner, { id }))?.developerId,
    /** The owner, also of a deleted project. */
    ownerOfEnvironment: async (id: string) =>
      (await queries.first(findOwnerOfEnvironment, { id }))?.developerId,
    /** False when the slug is taken. */
    insert: async (project: ProjectRow) => (await queries.run(insertProject, project)) === 1,
    rename: (id: string, name: string) => queries.run(renameProject, { id, name }),
    markDeleted: (id: string, deletedAt: string) => queries.run(markDeleted, { id, deletedAt }),
    insertEnvironment: (environment: EnvironmentRow) => queries.run(insertEnvironment, environment),
    environments: (projectId: string) => queries.all(listEnvironments, { projectId }),
    deletedEnvironments: (after: string) => queries.all(listDeletedEnvironments, { after }),
    environmentsOfDeveloper: (developerId: string) =>
      queries.all(listEnvironmentsOfDeveloper, { developerId }),
    environmentsShared: (developerId: string) => queries.all(listEnvironmentsShared, { developerId }),
    setOwner: (id: string, developerId: string) => queries.run(setOwner, { id, developerId }),

    countRenames: async (projectId: string, after: string) =>
      (await queries.all(listRenames, { projectId, after })).length,
    recordRename: async (projectId: string, renamedAt: string, deleteBefore: string) => {
      await queries.run(dropRenames, { projectId, before: deleteBefore })
      await queries.run(insertRename, { projectId, renamedAt })
    },

    insertKey: (key: KeyRow) => queries.run(insertKey, key),
    listKeys: (environmentId: string) => queries.all(listKeys, { environmentId }),
    findLiveKey: (hash: string) => queries.first(findLiveKey, { hash }),
    /** Returns the key's hash; undefined if there is no such key that is not revoked. */
    revokeKey: (projectId: string, id: string, revokedAt: string) =>
      queries.first(revokeKey, { projectId, id, revokedAt }),
    /** Returns undefined if there is no such key that is not revoked. */
    relabelKey: (projectId: string, id: string, label: string | null) =>
      queries.first(relabelKey, { projectId, id, label }),
    revokeKeys: async (projectId: string, revokedAt: string) =>
      (await queries.all(revokeKeys, { projectId, revokedAt })).map(({ hash }) => hash),
    labelOf: async (projectId: string, id: string) =>
      (await queries.first(findLabel, { projectId, id }))?.label ?? null,
    recordKeyUse: (id: string, lastUsedAt: string) => queries.run(recordKeyUse, { id, lastUsedAt }),
  }
}

const listProjects = statement((q, { developerId }: { developerId: string }) =>
  q
    .selectFrom('projects')
    .select(projectColumns)
    .where((e) => e.and({ developerId, deletedAt: null }))
    .orderBy('id', 'desc'),
)
/**
 * For every call of a developer: one look by the keys of both tables, so that a member costs no more than the owner, who has no row in
 * `members` (0069).
 */
const findProject = statement((q, { developerId, id }: { developerId: string; id: string }) =>
  q
    .selectFrom('projects as project')
    .leftJoin('members as member', (join) =>
      join
        .onRef('member.projectId', '=', 'project.id')
        .on('member.developerId', '=', developerId)
        .on('member.removedAt', 'is', null),
    )
    .select(projectColumnsOf('project'))
    .select('member.role as memberRole')
    .where('project.id', '=', id)
    .where('project.deletedAt', 'is', null)
    .where((e) => e.or([e('project.developerId', '=', developerId), e('member.role', 'is not', null)])),
)
const listShared = statement((q, { developerId }: { developerId: string }) =>
  q
    .selectFrom('members as member')
    .innerJoin('projects as project', 'project.id', 'member.projectId')
    .select(projectColumnsOf('project'))
    .select('member.role')
    .where('member.developerId', '=', developerId)
    .where('member.removedAt', 'is', null)
    .where('project.deletedAt', 'is', null),
)
const currentProject = statement((q, { id }: { id: string }) =>
  q.selectFrom('projects').select(projectColumns).where('id', '=', id).where('deletedAt', 'is', null),
)
const environmentsOf = (q: Kysely<Tables>) =>
  q
    .selectFrom('projects_environments as environment')
    .innerJoin('projects as project', 'project.id', 'environment.projectId')
const findEnvironment = statement((q, { id }: { id: string }) =>
  environmentsOf(q)
    .select(['environment.id', 'environment.projectId', 'environment.name', 'project.slug'])
    .where('environment.id', '=', id)
    .where('project.deletedAt', 'is', null),
)
const findBySlug = statement((q, { slug, name }: { slug: string; name: string }) =>
  environmentsOf(q)
    .select(['environment.id', 'environment.projectId', 'project.name as projectName'])
    .where('project.slug', '=', slug)
    .where('environment.name', '=', name)
    .where('project.deletedAt', 'is', null),
)
const findOwner = selectBy('projects', ['developerId'], ['id'])
const findOwnerOfEnvironment = statement((q, { id }: { id: string }) =>
  environmentsOf(q).select('project.developerId').where('environment.id', '=', id),
)
const insertProject = insertNew('projects', projectColumns, ['slug'])
const renameProject = updateBy('projects', ['name'], ['id'])
const setOwner = updateBy('projects', ['developerId'], ['id'])
const markDeleted = updateBy('projects', ['deletedAt'], ['id'])
const insertEnvironment = insertRow('projects_environments', ['id', 'projectId', 'name'])
const listEnvironments = selectBy(
  'projects_environments',
  ['id', 'projectId', 'name'],
  ['projectId'],
  ['name'],
)
const listDeletedEnvironments = statement((q, { after }: { after: string }) =>
  environmentsOf(q).select('environment.id').where('project.deletedAt', '>=', after),
)
const listEnvironmentsOfDeveloper = statement((q, { developerId }: { developerId: string }) =>
  environmentsOf(q)
    .select(['environment.id', 'environment.projectId', 'environment.name'])
    .where('project.developerId', '=', developerId)
    .where('project.deletedAt', 'is', null)
    .orderBy('environment.name'),
)
const listEnvironmentsShared = statement((q, { developerId }: { developerId: string }) =>
  environmentsOf(q)
    .innerJoin('members as member', 'member.projectId', 'project.id')
    .select(['environment.id', 'environment.projectId', 'environment.name'])
    .where('member.developerId', '=', developerId)
    .where('member.removedAt', 'is', null)
    .where('project.deletedAt', 'is', null)
    .orderBy('environment.name'),
)

const listRenames = statement((q, { projectId, after }: { projectId: string; after: string }) =>
  q
    .selectFrom('projects_renames')
    .select('renamedAt')
    .where('projectId', '=', projectId)
    .where('renamedAt', '>', after),
)
const dropRenames = statement((q, { projectId, before }: { projectId: string; before: string }) =>
  q.deleteFrom('projects_renames').where('projectId', '=', projectId).where('renamedAt', '<=', before),
)
const insertRename = insertRow('projects_renames', ['projectId', 'renamedAt'])

const insertKey = insertRow('projects_keys', keyColumns)
const listKeys = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('projects_keys')
    .select(keyColumns)
    .where((e) => e.and({ environmentId, revokedAt: null }))
    .orderBy('id'),
)
const findLiveKey = statement((q, { hash }: { hash: string }) =>
  q
    .selectFrom('projects_keys as key')
    .innerJoin('projects_environments as environment', 'environment.id', 'key.environmentId')
    .innerJoin('projects as project', 'project.id', 'key.projectId')
    .select(['key.id', 'key.type', 'key.label', 'key.last4', 'key.projectId', 'key.environmentId'])
    .select(['environment.name as environment', 'project.slug'])
    .where('key.hash', '=', hash)
    .where('key.revokedAt', 'is', null),
)
const revokeKey = statement(
  (q, { projectId, id, revokedAt }: { projectId: string; id: string; revokedAt: string }) =>
    q
      .updateTable('projects_keys')
      .set({ revokedAt })
      .where((e) => e.and({ projectId, id, revokedAt: null }))
      .returning(['hash', 'environmentId', 'type', 'last4']),
)
const relabelKey = statement(
  (q, { projectId, id, label }: { projectId: string; id: string; label: string | null }) =>
    q
      .updateTable('projects_keys')
      .set({ label })
      .where((e) => e.and({ projectId, id, revokedAt: null }))
      .returning(keyColumns),
)
const findLabel = selectBy('projects_keys', ['label'], ['projectId', 'id'])
const revokeKeys = statement((q, { projectId, revokedAt }: { projectId: string; revokedAt: string }) =>
  q
    .updateTable('projects_keys')
    .set({ revokedAt })
    .where((e) => e.and({ projectId, revokedAt: null }))
    .returning('hash'),
)
const recordKeyUse = updateBy('projects_keys', ['lastUsedAt'], ['id'])
