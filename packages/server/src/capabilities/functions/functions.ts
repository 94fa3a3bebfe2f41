import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { FunctionsStatus } from '@svc/contract/functions'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, millisecondsOf, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { type Random, randomBase32 } from '../../platform/random.ts'
import { resourcesOf } from './bindings.ts'
import { nextRunAfter } from './cron-text.ts'
import type { Manifest } from './manifest.ts'
import type { Owners } from './owners.ts'
import type { Audit, Money } from './ports.ts'
import type { State, States } from './states.ts'
import type { FunctionsRow, FunctionsStore, Transaction } from './store.ts'
import type { Sweeps } from './sweep.ts'

export type FunctionsDeps = {
  states: States
  owners: Pick<Owners, 'apply'>
  sweeps: Sweeps
  money: Money
  audit: Audit
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
  const { states, owners, sweeps, money, audit, clock, random, nodes } = deps

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

  type Change = { action: string; details: Record<string, unknown> }

  /** One change of the row with its audit entry; the process follows. `decide` returns undefined where nothing changes. */
  async function change(
    environment: Environment,
    actor: Actor,
    decide: (
      row: FunctionsRow,
      transaction: Transaction,
    ) => Promise<(Partial<FunctionsRow> & { audit: Change }) | undefined>,
  ): Promise<FunctionsStatus> {
    const hasChanged = await store.change(environment.id, async (transaction) => {
      const mine = store.in(transaction)
      const row = (await mine.find(environment.id)) ?? unused(environment)
      const decided = await decide(row, transaction)
      if (!decided) return false
      const { audit: entry, ...fields } = decided
      await mine.write({ ...row, ...fields, generation: row.generation + 1, updatedAt: timestamp(clock) })
      const { projectId, name: env, id: target } = environment
      await audit.record(transaction, { projectId, env, actor, target, ...entry })
      return true
    })
    if (hasChanged) await owners.apply(environment.id)
    return status(environment)
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
      return change(environment, actor, async (row) => {
        const newLimits = withLimits(row, limits)
        if (row.enabledAt !== null && isSame(row, newLimits)) return undefined
        return {
          ...newLimits,
          enabledAt: row.enabledAt ?? timestamp(clock),
          audit: {
            action: row.enabledAt === null ? 'functions.enable' : 'functions.limits',
            details: newLimits,
          },
        }
      })
    },

    disable: (environment: Environment, actor: Actor): Promise<FunctionsStatus> =>
      change(environment, actor, async (row) =>
        row.enabledAt === null
          ? undefined
          : { enabledAt: null, audit: { action: 'functions.disable', details: {} } },
      ),

    setLimits: (environment: Environment, actor: Actor, limits: LimitsInput): Promise<FunctionsStatus> =>
      change(environment, actor, async (row) => {
        if (row.enabledAt === null) throw new ApiError('functions_disabled')
        const newLimits = withLimits(row, limits)
        return isSame(row, newLimits)
          ? undefined
          : { ...newLimits, audit: { action: 'functions.limits', details: newLimits } }
      }),

    /** Removes the code; `purge` removes all data, too. Secrets stay. */
    async remove(environment: Environment, actor: Actor, purge: boolean) {
      const removed: { dataId: string; blobPrefix: string }[] = []
      await change(environment, actor, async (row, transaction) => {
        const mine = store.in(transaction)
        if (!(await mine.find(environment.id))) return undefined
        for (const { blobKey } of await mine.versions(environment.id, Number.MAX_SAFE_INTEGER))
          removed.push({ dataId: '', blobPrefix: blobKey })
        await mine.removeVersions(environment.id)
        if (purge) {
          removed.push({ dataId: row.dataId, blobPrefix: '' })
          await mine.removeResources(environment.id)
        }
        for (const removal of removed) await mine.addRemoval({ ...removal, createdAt: timestamp(clock) })
        return {
          liveVersionId: null,
          ...(purge && { dataId: newDataId(environment.id) }),
          audit: { action: 'functions.remove', details: { purge } },
        }
      })
      await sweeps.removeNow(removed)
      return { deleted: true as const, purged: purge }
    },

    /** In the transaction that deletes the project; folder and blobs follow. */
    async removeEnvironment(transaction: Transaction, environmentId: string): Promise<void> {
      const mine = store.in(transaction)
      const row = await mine.find(environmentId)
      if (!row) return
      const createdAt = timestamp(clock)
      for (const { blobKey } of await mine.versions(environmentId, Number.MAX_SAFE_INTEGER))
        await mine.addRemoval({ dataId: '', blobPrefix: blobKey, createdAt })
      await mine.addRemoval({ dataId: row.dataId, blobPrefix: '', createdAt })
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
