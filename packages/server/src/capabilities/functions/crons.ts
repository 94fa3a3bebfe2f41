import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import { type Clock, millisecondsOf, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { ScheduledOutcome } from '../../platform/ports/functions-engine.ts'
import { nextRunAfter } from './deployments/cron-text.ts'
import type { Owners } from './owners/owners.ts'
import { isRunnable, manifestOf, type States } from './states.ts'
import type { FunctionsStore } from './store.ts'

type CronDeps = {
  states: States
  owners: Pick<Owners, 'locate' | 'isLocal' | 'call'>
  nodeId: string
  clock: Clock
  background: Pick<Background, 'run'>
  report(failure: object): void
}
export type Crons = ReturnType<typeof createCrons>
type Outcome = { outcome: ScheduledOutcome; durationMs: number }
type Scheduled = { environmentId: string; cron: string; nextMs: number | undefined }
type Slot = { environmentId: string; cron: string; slot: number }

/** A slot that is this old is not made up. */
const LATE_MS = MINUTE_MS
/** The clocks of nodes may differ this much. A slot that is later was inserted while the clock was ahead. */
const AHEAD_MS = 5 * MINUTE_MS
/** By then the owner of a slot has inserted it; otherwise it is being lost, and is checked again so often until the slot is late. */
const OWNER_CHECK_MS = 5_000
const UNCONFIRMED_MAX = 10_000

/**
 * Crons by the service's clock. Every node checks them once a second; the owner of the environment inserts the slot before it runs it, so that
 * a slot runs at most once, even if its owner dies. The other nodes check that it was inserted: if not, the next owner runs it, or
 * it is recorded as missed.
 */
export function createCrons(store: FunctionsStore, deps: CronDeps) {
  const { states, owners, nodeId, clock, background, report } = deps
  let schedule = new Map<string, Scheduled>()
  /** Slots of other nodes, or that could not be inserted, and when to check them again. */
  const unconfirmed = new Map<string, Slot & { checkAtMs: number }>()
  let readAtMs = Number.NEGATIVE_INFINITY

  /** Crons begin with the change that added them, or with their last slot if the service was away since. */
  async function readSchedule(nowMs: number) {
    const next = new Map<string, Scheduled>()
    for (const { environmentId, updatedAt, manifest } of await store.runnable()) {
      for (const cron of manifestOf({ manifest }).crons) {
        const key = `${environmentId} ${cron}`
        next.set(key, schedule.get(key) ?? (await scheduledSince(environmentId, cron, updatedAt, nowMs)))
      }
    }
    schedule = next
    readAtMs = nowMs
  }

  async function scheduledSince(
    environmentId: string,
    cron: string,
    updatedAt: string,
    nowMs: number,
  ): Promise<Scheduled> {
    const ahead = await store.removeSlotsAfter(environmentId, cron, nowMs + AHEAD_MS)
    if (ahead > 0) report({ environmentId, cron, slots: ahead, reason: 'the clock was ahead' })
    const last = await store.lastSlot(environmentId, cron)
    const since = Math.max(Math.min(Date.parse(updatedAt), nowMs), last?.slot ?? 0)
    return { environmentId, cron, nextMs: await nextRunAfter(cron, since) }
  }

  async function startDue(entry: Scheduled, nowMs: number) {
    const { environmentId, cron, nextMs } = entry
    if (nextMs === undefined || nextMs > nowMs) return
    const isLate = nowMs - nextMs >= LATE_MS
    entry.nextMs = await nextRunAfter(cron, isLate ? Math.max(nextMs, nowMs - LATE_MS) : nextMs)
    background.run(() => runSlot({ environmentId, cron, slot: nextMs }))
    // After a pause one slot may be missed and the next one due.
    if (isLate) await startDue(entry, nowMs)
  }

  const recordMissed = (slot: Slot) => {
    const at = timestamp(clock)
    return store.insertSlot({ ...slot, nodeId, startedAt: at, endedAt: at, outcome: 'missed' })
  }

  function checkLater(slot: Slot) {
    const checkAtMs = clock.elapsedMs() + OWNER_CHECK_MS
    setBounded(
      unconfirmed,
      `${slot.environmentId} ${slot.cron} ${slot.slot}`,
      { ...slot, checkAtMs },
      UNCONFIRMED_MAX,
    )
  }

  async function confirm(slot: Slot) {
    try {
      if (await store.slot(slot)) return
    } catch {
      return checkLater(slot)
    }
    await runSlot(slot)
  }

  async function runSlot(slot: Slot) {
    const { environmentId, cron } = slot
    try {
      if (millisecondsOf(clock) - slot.slot >= LATE_MS) return void (await recordMissed(slot))
      const state = await states.read(environmentId)
      if (!isRunnable(state) || !state.live.manifest.crons.includes(cron)) return
      const location = await owners.locate(environmentId)
      if (!owners.isLocal(location)) return checkLater(slot)
      const startedAt = timestamp(clock)
      if (!(await store.insertSlot({ ...slot, nodeId, startedAt, endedAt: null, outcome: null }))) return
      const { outcome } = await location.running
        .runScheduled(cron, new Date(slot.slot))
        .catch((): { outcome: string } => ({ outcome: 'killed' }))
      await store.endSlot({ ...slot, endedAt: timestamp(clock), outcome })
      await store.removeOldSlots(environmentId, cron)
    } catch (error) {
      report({ environmentId, cron, err: error })
      checkLater(slot)
    }
  }

  return {
    async everySecond() {
      const nowMs = millisecondsOf(clock)
      // The clock was ahead, and was set right.
      if (readAtMs - nowMs > AHEAD_MS) schedule.clear()
      if (Math.abs(nowMs - readAtMs) >= MINUTE_MS) await readSchedule(nowMs)
      for (const [key, slot] of unconfirmed) {
        if (slot.checkAtMs > clock.elapsedMs()) continue
        unconfirmed.delete(key)
        background.run(() => confirm(slot))
      }
      for (const entry of schedule.values()) await startDue(entry, nowMs)
    },

    /** A deployment or a switch has changed which crons there are. */
    changed: () => void (readAtMs = Number.NEGATIVE_INFINITY),

    async runNow(environment: Environment, cron: string): Promise<Outcome> {
      if (environment.name !== 'development') throw new ApiError('not_found')
      const state = await states.read(environment.id)
      if (!state || state.enabledAt === null) throw new ApiError('functions_disabled')
      if (!state.live?.manifest.crons.includes(cron)) throw new ApiError('cron_not_found')
      if (!isRunnable(state)) throw new ApiError('functions_suspended')
      return owners.call(environment.id, 'scheduled', { cron, at: timestamp(clock) })
    },
  }
}
