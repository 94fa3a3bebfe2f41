import { LIMITS } from '@svc/contract/common/limits'
import type { Actor, EnvironmentName } from '@svc/contract/common/schemas'
import type { FunctionDeployment } from '@svc/contract/functions'

import { ApiError, invalidField } from '../../../platform/api-error.ts'
import { type Clock, timestamp } from '../../../platform/clock.ts'
import type { Environment } from '../../../platform/environment.ts'
import type { Awaitable } from '../../../platform/memory/awaitable.ts'
import type { FunctionsEngine, RoomClass } from '../../../platform/ports/functions-engine.ts'
import type { Ids } from '../../../platform/random.ts'
import { cleanLine } from '../../../platform/text/text.ts'
import type { Changes } from '../changes.ts'
import type { Specs } from '../owners/specs.ts'
import type { Blobs } from '../ports.ts'
import { modesWithoutClass, type RoomMode } from '../room-modes.ts'
import { manifestOf } from '../states.ts'
import type { FunctionsRow, FunctionsStore, VersionRow } from '../store.ts'
import type { Sweeps } from '../sweep.ts'
import type { ContentTypeOf } from './assets.ts'
import { bindingView, resourcesOf } from './bindings.ts'
import { blobKeyOf, codeOf, loadCode, loadSourceMap } from './code.ts'
import {
  type Deployable,
  invalidDeployment,
  type Manifest,
  readDeployment,
  type DeploymentInput,
} from './manifest.ts'

type DeploymentDeps = {
  change: Changes
  specs: Specs
  sweeps: Sweeps
  engine: Pick<FunctionsEngine, 'trial' | 'compatibilityDate'>
  blobs: Blobs
  clock: Clock
  ids: Ids
  contentTypes(): Awaitable<ContentTypeOf>
  requireAvailable(): Promise<void>
  urlOf(environment: Environment): string
  roomModesOf(environmentId: string): Promise<RoomMode[]>
}
/** What may be sent with `fromVersion`. */
const WITH_FROM_VERSION = new Set(['fromVersion', 'fromEnvironment', 'finishMinutes', 'message'])
export type Deployments = ReturnType<typeof createDeployments>

/** New versions: checked, tried, stored, and switched to without a failed request. */
export function createDeployments(store: FunctionsStore, deps: DeploymentDeps) {
  const { change, specs, sweeps, engine, blobs, clock, ids } = deps

  async function requireEnabled(environmentId: string, from: Pick<FunctionsStore, 'find'> = store) {
    const row = await from.find(environmentId)
    if (!row || row.enabledAt === null) throw new ApiError('functions_disabled')
    return row
  }

  async function readInput(
    environment: Environment,
    actor: Actor,
    input: DeploymentInput,
  ): Promise<Deployable> {
    const { fromVersion, fromEnvironment } = input
    if (fromVersion === undefined) {
      if (fromEnvironment !== undefined) throw invalidField('$.fromEnvironment', 'needs fromVersion')
      const secrets = (await store.secrets(environment.id)).map(({ name }) => name)
      const today = timestamp(clock).slice(0, 10)
      const contentTypeOf = await deps.contentTypes()
      return readDeployment(input, { today, engineDate: engine.compatibilityDate, secrets, contentTypeOf })
    }
    const other = Object.keys(input).find((name) => !WITH_FROM_VERSION.has(name))
    if (other !== undefined) throw invalidField(`$.${other}`, 'must not be sent with fromVersion')
    if (fromEnvironment !== undefined && actor.type !== 'developer')
      throw invalidField(
        '$.fromEnvironment',
        'must not be sent by a key or an agent, which belong to one environment',
      )
    const sourceId = await environmentIdOf(environment, fromEnvironment)
    const version = sourceId === undefined ? undefined : await store.versionNumbered(sourceId, fromVersion)
    if (!version) throw new ApiError('deployment_not_found')
    return { manifest: manifestOf(version), bytes: await loadCode(blobs, version.blobKey), warnings: [] }
  }

  /** A project has two environments. Undefined: the other one never had functions. */
  async function environmentIdOf({ id, projectId, name }: Environment, other: EnvironmentName = name) {
    if (other === name) return id
    return (await store.ofProject(projectId)).find(({ environmentId }) => environmentId !== id)?.environmentId
  }

  /** Returns the classes of rooms that the code exports. */
  async function requireStarts(
    environment: Environment,
    row: FunctionsRow,
    { manifest, bytes }: Deployable,
  ): Promise<RoomClass[]> {
    const spec = await specs.withCode(environment, row, codeOf(manifest, bytes))
    const { problems, rooms } = await engine.trial(spec)
    if (problems.length > 0) throw invalidDeployment(problems)
    return rooms
  }

  /** In the transaction: the version, what it is bound to, and which old versions are removed. */
  async function makeLive(
    mine: ReturnType<FunctionsStore['in']>,
    version: Omit<VersionRow, 'version'>,
    manifest: Manifest,
  ) {
    const { environmentId, createdAt } = version
    const row = await requireEnabled(environmentId, mine)
    const taken = new Set([...manifest.bindings.map(({ name }) => name), ...Object.keys(manifest.vars)])
    const secret = (await mine.secrets(environmentId)).find(({ name }) => taken.has(name))
    if (secret)
      throw invalidDeployment([
        { path: '$.bindings', message: `${secret.name} is the name of a secret, too` },
      ])

    const number = row.lastVersion + 1
    await mine.insertVersion({ ...version, version: number })
    for (const resource of resourcesOf(manifest.bindings))
      await mine.addResource({ environmentId, ...resource, bytes: 0, createdAt })
    await mine.forgetRemoval({ dataId: '', blobPrefix: version.blobKey })

    const removed: { dataId: string; blobPrefix: string }[] = []
    const listed = await mine.versions(environmentId, Number.MAX_SAFE_INTEGER)
    for (const { id, blobKey } of listed.slice(LIMITS.functionsVersionsKept)) {
      await mine.removeVersion(environmentId, id)
      await mine.addRemoval({ dataId: '', blobPrefix: blobKey, createdAt })
      removed.push({ dataId: '', blobPrefix: blobKey })
    }
    return { row: { ...row, lastVersion: number, liveVersionId: version.id }, removed }
  }

  return {
    async deploy(environment: Environment, actor: Actor, input: DeploymentInput) {
      await deps.requireAvailable()
      const row = await requireEnabled(environment.id)
      const deployable = await readInput(environment, actor, input)
      const rooms = await requireStarts(environment, row, deployable)

      const { bytes } = deployable
      const { fromVersion, fromEnvironment, finishMinutes } = input
      // That of a version deployed again was for the rooms of then.
      const { finishMinutes: _, ...read } = deployable.manifest
      const manifest = { ...read, rooms, ...(finishMinutes !== undefined && { finishMinutes }) }
      const warnings = [
        ...deployable.warnings,
        ...modesWithoutClass(await deps.roomModesOf(environment.id), rooms),
      ]
      const id = ids('dpl')
      const blobKey = blobKeyOf(environment.id, id)
      const createdAt = timestamp(clock)
      // Until the version exists, so that the code of an interrupted deployment is removed.
      await store.addRemoval({ dataId: '', blobPrefix: blobKey, createdAt })
      await blobs.put(blobKey, bytes)

      const message = cleanLine(input.message ?? '') || null
      const version = {
        environmentId: environment.id,
        id,
        message,
        blobKey,
        bytes: bytes.length,
        actor: JSON.stringify(actor),
        createdAt,
        manifest: JSON.stringify(manifest),
      }
      let number = 0
      let removed: { dataId: string; blobPrefix: string }[] = []
      await change(environment, actor, async (mine) => {
        const made = await makeLive(mine, version, manifest)
        removed = made.removed
        number = made.row.lastVersion
        const details = {
          version: number,
          bytes: bytes.length,
          message,
          ...(fromVersion !== undefined && { fromVersion }),
          ...(fromEnvironment !== undefined && { fromEnvironment }),
          ...(finishMinutes !== undefined && { finishMinutes }),
        }
        return { row: made.row, action: 'functions.deploy', target: id, details }
      })
      await sweeps.removeNow(removed)
      return { version: number, deploymentId: id, url: deps.urlOf(environment), createdAt, warnings }
    },

    async sourceMap(environment: Environment, version: number): Promise<{ sourceMap: string }> {
      const row = await store.versionNumbered(environment.id, version)
      const sourceMap = row && (await loadSourceMap(blobs, row, manifestOf(row)))
      if (sourceMap === undefined) throw new ApiError('deployment_not_found')
      return { sourceMap }
    },

    async list(environment: Environment, limit: number): Promise<{ deployments: FunctionDeployment[] }> {
      const liveId = (await store.find(environment.id))?.liveVersionId
      const rows = await store.versions(environment.id, limit)
      return { deployments: rows.map((row) => view(row, row.id === liveId)) }
    },
  }
}

function view(row: VersionRow, live: boolean): FunctionDeployment {
  const { modules, bindings, assets, sourceMapBytes, rooms, crons, compatibilityDate } = manifestOf(row)
  return {
    deploymentId: row.id,
    version: row.version,
    live,
    message: row.message,
    modules,
    bindings: bindings.map(bindingView),
    ...(assets && { assets: { count: assets.count, bytes: assets.bytes } }),
    rooms: rooms ?? [],
    crons,
    compatibilityDate,
    hasSourceMap: sourceMapBytes !== undefined,
    createdAt: row.createdAt,
  }
}
