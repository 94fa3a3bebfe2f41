import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import { type Clock, millisecondsOf, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Running, ScheduledOutcome } from '../../platform/functions-engine.ts'
import { nextRunAfter } from './cron-text.ts'
import type { Owned } from './owned.ts'
import { isRunnable, manifestOf, type States } from './states.ts'
import type { FunctionsStore } from './store.ts'

export type CronDeps = {
  states: States
  owned: Pick<Owned, 'locate' | 'isHere' | 'run'>
  nodeId: string
  clock: Clock
  background: Pick<Background, 'run'>
  report(failure: object): void
}
export type Crons = ReturnType<typeof createCrons>
type Outcome = { outcome: ScheduledOutcome; durationMs: number }
type Scheduled = { environmentId: string; cron: string; nextMs: number | undefined }

/** A slot that is this old is not made up. */
const LATE_MS = MINUTE_MS

/** On the owner. */
export const runScheduled = (running: Running, { cron, at }: { cron: string; at: string }) =>
  running.runScheduled(cron, new Date(at))

/**
 * Crons by the service's clock. Every node looks once a second; the owner of the environment inserts the slot before it runs it, so that
 * a slot runs at most once whatever becomes of its owner.
 */
export function createCrons(store: FunctionsStore, deps: CronDeps) {
  const { states, owned, nodeId, clock, background, report } = deps
  let schedule = new Map<string, Scheduled>()
  let readAtMs = Number.NEGATIVE_INFINITY

  /** New crons begin with the change that added them; those that are known keep their next time. */
  async function readSchedule(nowMs: number) {
    const next = new Map<string, Scheduled>()
    for (const { environmentId, updatedAt, manifest } of await store.runnable()) {
      for (const cron of manifestOf({ manifest }).crons) {
        const key = `${environmentId} ${cron}`
        const since = Math.max(Date.parse(updatedAt), nowMs - LATE_MS)
        const known = schedule.get(key)
        next.set(key, known ?? { environmentId, cron, nextMs: await nextRunAfter(cron, since) })
      }
    }
    schedule = next
    readAtMs = nowMs
  }

  async function look(entry: Scheduled, nowMs: number) {
    const { environmentId, cron, nextMs } = entry
    if (nextMs === undefined || nextMs > nowMs) return
    const isLate = nowMs - nextMs >= LATE_MS
    entry.nextMs = await nextRunAfter(cron, isLate ? Math.max(nextMs, nowMs - LATE_MS) : nextMs)
    if (isLate) await recordMissed(environmentId, cron, nextMs)
    else background.run(() => runSlot(environmentId, cron, nextMs))
    // After a pause one slot may be missed and the next one due.
    if (isLate) await look(entry, nowMs)
  }

  const recordMissed = (environmentId: string, cron: string, slot: number) => {
    const at = timestamp(clock)
    return store.insertSlot({
      environmentId,
      cron,
      slot,
      nodeId,
      startedAt: at,
      endedAt: at,
      outcome: 'missed',
    })
  }

  async function runSlot(environmentId: string, cron: string, slot: number) {
    try {
      const state = await states.read(environmentId)
      if (!isRunnable(state) || !state.live.manifest.crons.includes(cron)) return
      const place = await owned.locate(environmentId)
      if (!owned.isHere(place)) return
      const startedAt = timestamp(clock)
      const row = { environmentId, cron, slot, nodeId, startedAt, endedAt: null, outcome: null }
      if (!(await store.insertSlot(row))) return
      const { outcome } = await place.running
        .runScheduled(cron, new Date(slot))
        .catch((): { outcome: string } => ({ outcome: 'killed' }))
      await store.endSlot({ environmentId, cron, slot, endedAt: timestamp(clock), outcome })
      await store.removeOldSlots(environmentId, cron)
    } catch (error) {
      report({ environmentId, cron, err: error })
    }
  }

  return {
    async everySecond() {
      const nowMs = millisecondsOf(clock)
      if (nowMs - readAtMs >= MINUTE_MS) await readSchedule(nowMs)
      for (const entry of schedule.values()) await look(entry, nowMs)
    },

    /** A deployment or a switch has changed which crons there are. */
    changed: () => void (readAtMs = Number.NEGATIVE_INFINITY),

    async runNow(environment: Environment, cron: string): Promise<Outcome> {
      if (environment.name !== 'development') throw new ApiError('not_found')
      const state = await states.read(environment.id)
      if (!state || state.enabledAt === null) throw new ApiError('functions_disabled')
      if (!state.live?.manifest.crons.includes(cron)) throw new ApiError('cron_not_found')
      if (!isRunnable(state)) throw new ApiError('functions_suspended')
      const args = { cron, at: timestamp(clock) }
      return owned.run<Outcome>(environment.id, {
        name: 'scheduled',
        args,
        run: (running) => runScheduled(running, args),
      })
    },
  }
}
