import { manifestProblems } from '@svc/contract/common/deployed-paths'
import { LIMITS } from '@svc/contract/common/limits'
import { PROBLEMS_MAX } from '@svc/contract/common/problems'
import type { Actor } from '@svc/contract/common/schemas'
import type { DeployedFile, Deployed, Deployment } from '@svc/contract/hosting'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { type Environment, hostLabel } from '../../platform/environment.ts'
import { RawJson } from '../../platform/http/raw-json.ts'
import { changeIn } from '../../platform/ports/audit.ts'
import type { Ids } from '../../platform/random.ts'
import { cleanText } from '../../platform/text/text.ts'
import { createActivation, liveIn } from './activation.ts'
import type { BlobStore, StoredBlob } from './blobs-store.ts'
import { filesIn } from './manifests.ts'
import { type Audit, type Bus, TOPIC } from './ports.ts'
import type { DeploymentSummary, HostingStore, Live, Transaction } from './store.ts'

export type DeploymentDeps = {
  rows: BlobStore
  clock: Clock
  ids: Ids
  audit: Audit
  bus: Pick<Bus, 'publish'>
  urlOf(environment: Environment): string
  /** Throws unless the owner of the project may publish an app. */
  requireMayGoLive(environment: Environment): Promise<void>
}
export type Deployments = ReturnType<typeof createDeployments>

type Manifest = { files: DeployedFile[]; message?: string }
type EnvironmentRef = Pick<Environment, 'id' | 'projectId'>

/** Creates, finalizes, activates and lists the deployments of an app. */
export function createDeployments(store: HostingStore, deps: DeploymentDeps) {
  const { rows, clock, ids, audit, bus, urlOf, requireMayGoLive } = deps
  const activation = createActivation(store, deps)

  /** Removes the oldest deployments, but never the live one. */
  async function prune(
    transaction: Transaction,
    { id: environmentId, projectId }: EnvironmentRef,
    live: Live,
  ) {
    const mine = store.in(transaction)
    for (const { id } of await mine.upTo(environmentId, live.lastVersion + 1 - LIMITS.deploymentsKept)) {
      if (id === live.deploymentId) continue
      await mine.remove(environmentId, id)
      await rows.in(transaction).scheduleSweep(projectId, timestamp(clock, LIMITS.orphanBlobTtlMs))
    }
  }

  async function required(from: Pick<HostingStore, 'find'>, environmentId: string, ref: string) {
    const deployment = await from.find(environmentId, ref)
    if (!deployment) throw new ApiError('deployment_not_found')
    return deployment
  }

  async function finish(
    transaction: Transaction,
    environment: Environment,
    actor: Actor,
    deployment: DeploymentSummary,
  ) {
    if (deployment.status === 'finalized') return
    const files = filesIn(await store.in(transaction).filesOf(environment.id, deployment.id))
    const stored = await rows.in(transaction).stored(environment.projectId, hashesOf(files))
    requireAll(files, stored)
    await store.in(transaction).setFinalized(environment.id, deployment.id)
    const { id, version, fileCount, totalBytes } = deployment
    await audit.record(transaction, {
      projectId: environment.projectId,
      env: environment.name,
      actor,
      action: 'deployment.finalize',
      target: id,
      details: { version, fileCount, totalBytes },
    })
  }

  /** `prepare` returns whether the deployment goes live. */
  async function settle(
    environment: Environment,
    actor: Actor,
    ref: string,
    prepare: (transaction: Transaction, deployment: DeploymentSummary) => Promise<boolean>,
  ): Promise<Deployed> {
    const { deployment, live, changed } = await store.change(environment.projectId, async (transaction) => {
      const mine = store.in(transaction)
      const deployment = await required(mine, environment.id, ref)
      const goes = await prepare(transaction, deployment)
      const changed = goes && (await activation(transaction, environment, actor, deployment))
      return { deployment, changed, live: await liveIn(mine, environment.id) }
    })
    // After the transaction: a node that re-reads on this message must find the new version.
    if (changed) await bus.publish(TOPIC, hostLabel(environment))
    const { id: deploymentId, version } = deployment
    const isLive = live.deploymentId === deploymentId
    return { deploymentId, version, status: 'finalized', live: isLive, url: urlOf(environment) }
  }

  return {
    async create(environment: Environment, actor: Actor, { files, message }: Manifest) {
      const { id: environmentId, projectId } = environment
      const errors = manifestProblems({ files }).take(PROBLEMS_MAX).toArray()
      if (errors.length > 0) throw new ApiError('invalid_path', { errors })

      const manifest = files.map(({ path, sha256, size }) => ({ path, sha256, size }))
      const sizes = new Map(manifest.map(({ sha256, size }) => [sha256, size]))
      const totalBytes = files.reduce((sum, { size }) => sum + size, 0)
      return store.change(projectId, async (transaction) => {
        const live = await liveIn(store.in(transaction), environmentId)
        const version = live.lastVersion + 1
        const deploymentId = ids('dpl')
        await store.in(transaction).insert(
          {
            environmentId,
            id: deploymentId,
            projectId,
            version,
            status: 'uploading',
            message: message === undefined ? null : cleanText(message) || null,
            fileCount: files.length,
            totalBytes,
            createdAt: timestamp(clock),
            activatedAt: null,
            files: JSON.stringify(manifest),
          },
          JSON.stringify(actor),
        )
        await store.in(transaction).countVersion(environmentId, version)
        await prune(transaction, { id: environmentId, projectId }, live)
        const details = { version, fileCount: files.length, totalBytes }
        await audit.record(
          transaction,
          changeIn(environment, actor, 'deployment.create', deploymentId, details),
        )

        const known = await rows.in(transaction).stored(projectId, sizes.keys())
        const missing = [...sizes.keys()].filter((sha256) => !known.has(sha256))
        const missingBytes = missing.reduce((sum, sha256) => sum + (sizes.get(sha256) ?? 0), 0)
        return { deploymentId, version, missing, missingBytes }
      })
    },

    async finalize(
      environment: Environment,
      actor: Actor,
      ref: string,
      { activate = false }: { activate?: boolean },
    ) {
      if (activate) await requireMayGoLive(environment)
      return settle(environment, actor, ref, async (transaction, deployment) => {
        await finish(transaction, environment, actor, deployment)
        return activate
      })
    },

    async activate(environment: Environment, actor: Actor, ref: string) {
      await requireMayGoLive(environment)
      return settle(environment, actor, ref, async (_, { status }) => {
        if (status !== 'finalized') throw new ApiError('not_finalized')
        return true
      })
    },

    async list({ id }: Environment, { limit = 20 }: { limit?: number }) {
      const live = await liveIn(store, id)
      return { deployments: (await store.list(id, limit)).map((row) => view(row, live)) }
    },

    /** The stored text is copied into the response unchanged. */
    async read({ id }: Environment, ref: string): Promise<RawJson> {
      const row = await required(store, id, ref)
      const files = await store.filesOf(id, row.id)
      if (files === undefined) throw new ApiError('deployment_not_found')
      const deployment = view(row, await liveIn(store, id))
      return new RawJson(`{"deployment":${JSON.stringify(deployment)},"files":${files}}`)
    },

    async hosting(environment: Environment) {
      const { deploymentId, version } = await liveIn(store, environment.id)
      if (deploymentId === null || version === null) return { live: null, urls: [] }
      return { live: { deploymentId, version }, urls: [urlOf(environment)] }
    },

    /** Newest first. */
    async activations({ id }: Environment, { limit = 50 }: { limit?: number }) {
      const activations = await store.activations(id, limit)
      return {
        activations: activations.map(({ version, at, activatedBy }) => ({
          version,
          at,
          by: JSON.parse(activatedBy) as Actor,
        })),
      }
    },

    firstCreatedAt: store.firstCreatedAt,
    liveVersion: async (environmentId: string) => (await liveIn(store, environmentId)).version,

    /** Part of the deletion of a project. The next sweep removes the blobs. */
    async removeEnvironment(transaction: Transaction, environmentId: string) {
      const projectId = await store.in(transaction).projectOf(environmentId)
      await store.in(transaction).removeEnvironment(environmentId)
      if (projectId === undefined) return
      await rows.in(transaction).expireAll(projectId)
      await rows.in(transaction).scheduleSweep(projectId, timestamp(clock))
    },
  }
}

const hashesOf = (files: readonly DeployedFile[]) => files.map(({ sha256 }) => sha256)

function requireAll(files: readonly DeployedFile[], stored: ReadonlyMap<string, StoredBlob>) {
  const missing = new Set(hashesOf(files).filter((sha256) => !stored.has(sha256)))
  if (missing.size > 0) throw new ApiError('blobs_missing', { missing: [...missing] })

  const errors = files.flatMap(({ path, sha256, size }, index) => {
    const actual = stored.get(sha256)?.size
    return actual === size
      ? []
      : [{ path: `$.files[${index}].size`, message: `${path} has ${actual} bytes, not ${size}` }]
  })
  if (errors.length > 0) throw new ApiError('size_mismatch', { errors: errors.slice(0, PROBLEMS_MAX) })
}

const view = ({ id, status, createdBy, ...rest }: DeploymentSummary, live: Live): Deployment => ({
  deploymentId: id,
  ...rest,
  status: status as Deployment['status'],
  live: live.deploymentId === id,
  by: actorIn(createdBy),
})

const actorIn = (text: string | null): Actor | null => (text === null ? null : (JSON.parse(text) as Actor))
