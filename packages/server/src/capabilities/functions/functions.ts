import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { FunctionsStatus } from '@svc/contract/functions'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, millisecondsOf, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { type Random, randomBase32 } from '../../platform/random.ts'
import type { Change, Changes } from './changes.ts'
import { resourcesOf } from './deployments/bindings.ts'
import { nextRunAfter } from './deployments/cron-text.ts'
import type { Manifest } from './deployments/manifest.ts'
import type { Money } from './ports.ts'
import type { State, States } from './states.ts'
import type { FunctionsRow, FunctionsStore, Transaction } from './store.ts'
import type { Sweeps } from './sweep.ts'

type FunctionsDeps = {
  states: States
  change: Changes
  sweeps: Sweeps
  money: Money
  clock: Clock
  random: Random
  requireAvailable(): Promise<void>
  /** Creates the key of `env.SVC`. */
  createKey(environment: Environment): Promise<unknown>
  urlOf(environment: Environment): string
  /** The nodes that live. */
  nodes(): readonly string[]
}
type LimitsInput = { cpuMs?: number; subRequests?: number }
export type Functions = ReturnType<typeof createFunctions>

/** Enabled or not, limits, and removal of code and data. */
export function createFunctions(store: FunctionsStore, deps: FunctionsDeps) {
  const { states, sweeps, money, clock, random, nodes } = deps

  const newDataId = (environmentId: string) => `${environmentId}-${randomBase32(random, 10)}`

  const unused = ({ id, projectId }: Environment): FunctionsRow => ({
    environmentId: id,
    projectId,
    enabledAt: null,
    suspendedAt: null,
    suspendedBy: null,
    cpuMs: LIMITS.functionsCpuMsByDefault,
    subRequests: LIMITS.functionsSubRequestsByDefault,
    lastVersion: 0,
    liveVersionId: null,
    generation: 0,
    dataId: newDataId(id),
    updatedAt: timestamp(clock),
  })

  /** Changes the row, also of an environment that never had functions. `decide` returns undefined if nothing changes. */
  async function change(
    environment: Environment,
    actor: Actor,
    decide: (row: FunctionsRow) => Change | undefined,
  ): Promise<FunctionsStatus> {
    await deps.change(environment, actor, async (mine) =>
      decide((await mine.find(environment.id)) ?? unused(environment)),
    )
    return status(environment)
  }

  /** Notes what remains of all versions, to be removed. */
  async function addVersionRemovals(mine: ReturnType<FunctionsStore['in']>, environmentId: string) {
    const versions = await mine.versions(environmentId, Number.MAX_SAFE_INTEGER)
    const removals = versions.map(({ blobKey }) => ({ dataId: '', blobPrefix: blobKey }))
    for (const removal of removals) await mine.addRemoval({ ...removal, createdAt: timestamp(clock) })
    return removals
  }

  async function status(environment: Environment): Promise<FunctionsStatus> {
    const state = await states.read(environment.id)
    const { cpuMs, subRequests } = state ?? unused(environment)
    const live = state?.live
    const manifest = live?.manifest
    return {
      enabled: state?.enabledAt != null,
      suspended: state?.suspendedAt != null,
      limits: { cpuMs, subRequests },
      deployed: live !== undefined,
      version: live?.version ?? null,
      url: live ? deps.urlOf(environment) : null,
      crons: await Promise.all((manifest?.crons ?? []).map((cron) => cronStatus(state, cron))),
      rooms: manifest?.rooms ?? [],
      durableObjects: (manifest?.bindings ?? []).flatMap((binding) =>
        binding.type === 'durable_object' ? [{ name: binding.name, className: binding.className }] : [],
      ),
      resources: await listResources(environment.id, manifest),
      secrets: (await store.secrets(environment.id)).map(({ name }) => name),
    }
  }

  async function cronStatus(state: State | undefined, cron: string) {
    const isOn = state?.enabledAt != null && state.suspendedAt === null
    const nextMs = isOn ? await nextRunAfter(cron, millisecondsOf(clock)) : undefined
    const last = state && (await store.lastSlot(state.environmentId, cron))
    return {
      cron,
      nextAt: nextMs === undefined ? null : new Date(nextMs).toISOString(),
      lastAt: last ? new Date(last.slot).toISOString() : null,
      lastOutcome: last ? (last.outcome ?? (nodes().includes(last.nodeId) ? 'running' : 'killed')) : null,
    }
  }

  async function listResources(environmentId: string, manifest: Manifest | undefined) {
    const bound = new Set(resourcesOf(manifest?.bindings ?? []).map(keyOf))
    return (await store.resources(environmentId)).map(({ type, id, bytes }) => ({
      type: type as FunctionsStatus['resources'][number]['type'],
      id,
      bytes,
      bound: bound.has(keyOf({ type, id })),
    }))
  }

  return {
    status,

    isEnabled: async (environmentId: string) => (await states.get(environmentId))?.enabledAt != null,

    /** If functions are enabled already, only the limits are set. */
    async enable(environment: Environment, actor: Actor, limits: LimitsInput): Promise<FunctionsStatus> {
      await deps.requireAvailable()
      const isEnabled = (await store.find(environment.id))?.enabledAt != null
      if (!isEnabled) await money.requireCredit(environment.projectId)
      await deps.createKey(environment)
      return change(environment, actor, (row) => {
        const newLimits = withLimits(row, limits)
        if (row.enabledAt !== null && isSame(row, newLimits)) return undefined
        return {
          row: { ...row, ...newLimits, enabledAt: row.enabledAt ?? timestamp(clock) },
          action: row.enabledAt === null ? 'functions.enable' : 'functions.limits',
          details: newLimits,
        }
      })
    },

    disable: (environment: Environment, actor: Actor): Promise<FunctionsStatus> =>
      change(environment, actor, (row) =>
        row.enabledAt === null
          ? undefined
          : { row: { ...row, enabledAt: null }, action: 'functions.disable' },
      ),

    setLimits: (environment: Environment, actor: Actor, limits: LimitsInput): Promise<FunctionsStatus> =>
      change(environment, actor, (row) => {
        if (row.enabledAt === null) throw new ApiError('functions_disabled')
        const newLimits = withLimits(row, limits)
        if (isSame(row, newLimits)) return undefined
        return { row: { ...row, ...newLimits }, action: 'functions.limits', details: newLimits }
      }),

    /** Removes the code; `purge` removes all data, too. Secrets stay. */
    async remove(environment: Environment, actor: Actor, purge: boolean) {
      const { id } = environment
      let removals: { dataId: string; blobPrefix: string }[] = []
      await deps.change(environment, actor, async (mine) => {
        const row = await mine.find(id)
        if (!row) return undefined
        removals = await addVersionRemovals(mine, id)
        await mine.removeVersions(id)
        const entry = { action: 'functions.remove', details: { purge } }
        if (!purge) return { row: { ...row, liveVersionId: null }, ...entry }
        const data = { dataId: row.dataId, blobPrefix: '' }
        removals.push(data)
        await mine.addRemoval({ ...data, createdAt: timestamp(clock) })
        await mine.removeResources(id)
        return { row: { ...row, liveVersionId: null, dataId: newDataId(id) }, ...entry }
      })
      await sweeps.removeNow(removals)
      return { deleted: true as const, purged: purge }
    },

    /** In the transaction that deletes the project; folder and blobs follow. */
    async removeEnvironment(transaction: Transaction, environmentId: string): Promise<void> {
      const mine = store.in(transaction)
      const row = await mine.find(environmentId)
      if (!row) return
      await addVersionRemovals(mine, environmentId)
      await mine.addRemoval({ dataId: row.dataId, blobPrefix: '', createdAt: timestamp(clock) })
      await mine.removeEnvironment(environmentId)
    },
  }
}

const keyOf = ({ type, id }: { type: string; id: string }) => `${type}:${id}`

const withLimits = (row: FunctionsRow, { cpuMs, subRequests }: LimitsInput) => ({
  cpuMs: cpuMs ?? row.cpuMs,
  subRequests: subRequests ?? row.subRequests,
})

const isSame = (row: FunctionsRow, { cpuMs, subRequests }: Required<LimitsInput>) =>
  row.cpuMs === cpuMs && row.subRequests === subRequests
