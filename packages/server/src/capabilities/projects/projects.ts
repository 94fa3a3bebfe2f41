import { LIMITS } from '@svc/contract/common/limits'
import type { Role } from '@svc/contract/common/roles'
import type { Actor, EnvironmentName } from '@svc/contract/common/schemas'
import type { KeyType, NewKeys, ProjectEntry, ProjectView } from '@svc/contract/developers/projects'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import { type Clock, DAY_MS, HOUR_MS, timestamp } from '../../platform/clock.ts'
import type { Developer, Environment, Project, ProjectOfCaller } from '../../platform/environment.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { type Audit, changeOfProject } from '../../platform/ports/audit.ts'
import type { Ids, Random } from '../../platform/random.ts'
import { hasVisible } from '../../platform/text/text.ts'
import type { Keys } from './keys.ts'
import { isReserved, slugFrom, withSuffix } from './names.ts'
import type { EnvironmentRow, ProjectRow, ProjectStore, Transaction } from './store.ts'

type ProjectDeps = {
  keys: Keys
  clock: Clock
  random: Random
  ids: Ids
  audit: Audit<Transaction>
  brand: string
  /** Removes the data that must be deleted together with the project: config and credentials. */
  removeEnvironment(transaction: Transaction, environmentId: string): Promise<void>
  /** Ends the memberships of the project and tells its members. */
  removeMembers(transaction: Transaction, project: { id: string; name: string }, by: string): Promise<void>
  /** Notifies every node after a rename. */
  announceRename(slug: string): Promise<void>
  /** Notifies every node after the deletion. */
  announceRemoval(environmentId: string): Promise<void>
  /** Removes all other data in small steps afterwards. */
  purgeEnvironment(environmentId: string): Promise<unknown>
  background: Background
  ownerExists(transaction: Transaction, developerId: string): Promise<boolean>
}

export type EnvironmentState = { players: number; online: number; liveVersion: number | null }

export type Projects = ReturnType<typeof createProjects>

const PROJECTS_MAX = LIMITS.projectsMax
/** Projects whose environments are in memory. */
const CACHED_MAX = 5_000
const RENAMES_PER_HOUR_MAX = LIMITS.projectRenamesPerHourMax
const PURGED_AGAIN_MS = 7 * DAY_MS
const ENVIRONMENTS: EnvironmentName[] = ['development', 'production']
const KEY_TYPES: KeyType[] = ['publishable', 'secret']

/** Creates, lists, renames and deletes projects with their two environments. */
export function createProjects(store: ProjectStore, deps: ProjectDeps) {
  const { keys, clock, random, ids, audit, brand, background } = deps
  const { removeEnvironment, removeMembers, announceRename, announceRemoval, purgeEnvironment, ownerExists } =
    deps

  const checked = (name: string) => {
    const trimmed = name.normalize('NFC').trim()
    if (!hasVisible(trimmed)) throw invalidField('$.name', 'must contain a visible character')
    if (isReserved(trimmed, brand)) throw new ApiError('name_reserved')
    return trimmed
  }

  async function insertWithFreeSlug(
    transaction: Transaction,
    project: Omit<ProjectRow, 'slug'>,
  ): Promise<ProjectRow> {
    const wished = slugFrom(project.name, brand, random)
    for (const slug of [
      wished,
      withSuffix(wished, random),
      withSuffix(wished, random),
      withSuffix(wished, random),
    ]) {
      const row = { ...project, slug }
      if (await store.in(transaction).insert(row)) return row
    }
    throw new Error('no free slug in four attempts')
  }

  /** They never change: without this, each request of the dashboard would read them. */
  const environmentsOf = new Map<string, readonly Pick<Environment, 'id' | 'name'>[]>()
  async function readEnvironments(projectId: string) {
    const rows = (await store.environments(projectId)).map(({ id, name }) => ({
      id,
      name: name as EnvironmentName,
    }))
    setBounded(environmentsOf, projectId, rows, CACHED_MAX)
    return rows
  }

  /** Repeated every hour for a while, so that an interrupted deletion is completed. */
  async function purgeDeleted() {
    for (const { id } of await store.deletedEnvironments(timestamp(clock, -PURGED_AGAIN_MS)))
      await purgeEnvironment(id)
  }

  return {
    purgeDeleted,
    /** `statesOf` returns the state of each environment, in their order. */
    async list(
      developer: Developer,
      statesOf: (environmentIds: string[]) => Promise<EnvironmentState[]>,
    ): Promise<{ projects: ProjectEntry[] }> {
      const environments = [
        ...(await store.environmentsOfDeveloper(developer.id)),
        ...(await store.environmentsShared(developer.id)),
      ]
      const states = await statesOf(environments.map(({ id }) => id))
      const entries = environments.flatMap(({ id, name, projectId }, index) => {
        const state = states[index]
        return state ? { projectId, id, name: name as EnvironmentName, ...state } : []
      })
      const own = (await store.list(developer.id)).map((row) => ({ ...row, role: 'owner' }))
      const projects = [...own, ...(await store.listShared(developer.id))]
      return {
        projects: projects.toSorted(newestFirst).map((row) => ({
          ...view(row, []),
          role: row.role as Role,
          environments: entries.flatMap(({ projectId, ...entry }) => (projectId === row.id ? entry : [])),
        })),
      }
    },

    /** With the role of the developer, by one query of the database: a removed member has none with the next call. */
    async find(developerId: string, projectId: string): Promise<ProjectOfCaller | undefined> {
      const row = await store.find(developerId, projectId)
      if (!row) return undefined
      const { memberRole, ...project } = row
      return { ...project, role: project.developerId === developerId ? 'owner' : (memberRole as Role) }
    },

    /** Both environments are created with their project, so the environment always exists. */
    async environment(project: Project, name: EnvironmentName): Promise<Environment> {
      const rows = environmentsOf.get(project.id) ?? (await readEnvironments(project.id))
      const row = rows.find((environment) => environment.name === name)
      if (!row) throw new ApiError('environment_not_found')
      return { id: row.id, projectId: project.id, name, slug: project.slug }
    },

    /** Undefined if its project was deleted. */
    async findEnvironment(environmentId: string): Promise<Environment | undefined> {
      const row = await store.findEnvironment(environmentId)
      return row && { ...row, name: row.name as EnvironmentName }
    },

    /** Finds the environment of a host below the apps domain, and the name of its app. */
    async findApp(slug: string, name: EnvironmentName) {
      const row = await store.findBySlug(slug, name)
      if (!row) return undefined
      const { id, projectId, projectName } = row
      return { environment: { id, projectId, name, slug }, name: projectName }
    },

    /** The id of the project with this slug. */
    idOf: async (slug: string) => (await store.findBySlug(slug, 'production'))?.projectId,

    ownerOf: (projectId: string) => store.ownerOf(projectId),

    read: async (project: ProjectOfCaller) => ({
      project: view(project, await store.environments(project.id)),
      role: project.role,
    }),

    create(
      developer: Developer,
      actor: Actor,
      { name }: { name: string },
    ): Promise<{ project: ProjectView; keys: NewKeys }> {
      const newName = checked(name)
      return store.changeList(developer.id, async (transaction) => {
        // The account may have been deleted after the session was checked.
        if (!(await ownerExists(transaction, developer.id))) throw new ApiError('unauthorized')
        const own = await store.in(transaction).list(developer.id)
        if (own.length >= PROJECTS_MAX) throw new ApiError('too_many_projects', { limit: PROJECTS_MAX })

        const row = await insertWithFreeSlug(transaction, {
          id: ids('prj'),
          developerId: developer.id,
          name: newName,
          createdAt: timestamp(clock),
          deletedAt: null,
        })
        const environments = ENVIRONMENTS.map((env) => ({ id: ids('env'), projectId: row.id, name: env }))
        const made: NewKeys = []
        for (const environment of environments) {
          await store.in(transaction).insertEnvironment(environment)
          for (const type of KEY_TYPES) {
            const { key, plaintext } = await keys.insert(
              transaction,
              { ...environment, slug: row.slug },
              type,
              null,
              actor,
            )
            made.push({ id: key.id, environment: environment.name, type, key: plaintext })
          }
        }
        const details = { name: newName, slug: row.slug }
        await audit.record(transaction, changeOfProject(row.id, actor, 'project.create', details))
        return { project: view(row, environments), keys: made }
      })
    },

    async rename(project: Project, actor: Actor, { name }: { name: string }) {
      const newName = checked(name)
      const renamed = await store.change(project.id, async (transaction) => {
        const projects = store.in(transaction)
        const environments = await projects.environments(project.id)
        // Read again inside the transaction: of two concurrent changes the second must see the first.
        const current = await projects.current(project.id)
        if (!current) throw new ApiError('project_not_found')
        const previousName = current.name
        if (newName === previousName)
          return { project: view(current, environments), previousName, changed: false }

        const hourAgo = timestamp(clock, -HOUR_MS)
        if ((await projects.countRenames(project.id, hourAgo)) >= RENAMES_PER_HOUR_MAX) {
          throw new ApiError('rate_limited', {
            limit: RENAMES_PER_HOUR_MAX,
            retryAfterSeconds: HOUR_MS / 1_000,
          })
        }
        await projects.rename(project.id, newName)
        await projects.recordRename(project.id, timestamp(clock), hourAgo)
        const details = { before: previousName, after: newName }
        await audit.record(transaction, changeOfProject(project.id, actor, 'project.rename', details))
        return { project: view({ ...current, name: newName }, environments), previousName, changed: true }
      })
      if (renamed.changed) await announceRename(project.slug)
      return renamed
    },

    async remove(project: Project, actor: Actor): Promise<{ deleted: true }> {
      const environments = await store.environments(project.id)
      const revoked = await store.change(project.id, async (transaction) => {
        const projects = store.in(transaction)
        // Read again inside the transaction: of two concurrent deletions the second must see the first.
        const current = await projects.current(project.id)
        if (!current) throw new ApiError('project_not_found')
        await projects.markDeleted(project.id, timestamp(clock))
        for (const { id } of environments) await removeEnvironment(transaction, id)
        await removeMembers(transaction, current, actor.label)
        const details = { name: current.name, slug: current.slug }
        await audit.record(transaction, changeOfProject(project.id, actor, 'project.delete', details))
        const hashes = await projects.revokeKeys(project.id, timestamp(clock))
        for (const hash of hashes) await keys.recordRevoked(transaction, hash)
        return hashes
      })
      await keys.forget(revoked)
      for (const { id } of environments) await announceRemoval(id)
      background.run(purgeDeleted)
      return { deleted: true }
    },
  }
}

const newestFirst = (a: { id: string }, b: { id: string }) => (a.id < b.id ? 1 : -1)

const view = (project: Project, environments: EnvironmentRow[]): ProjectView => ({
  id: project.id,
  name: project.name,
  slug: project.slug,
  createdAt: project.createdAt,
  environments: environments.map(({ id, name }) => ({ id, name: name as EnvironmentName })),
})
