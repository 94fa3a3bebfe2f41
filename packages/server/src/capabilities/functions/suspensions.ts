import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Owned } from './owned.ts'
import type { Audit } from './ports.ts'
import type { FunctionsStore } from './store.ts'

export type SuspensionDeps = {
  owned: Pick<Owned, 'apply'>
  audit: Audit
  clock: Clock
  findProject(slug: string): Promise<string | undefined>
  projectsOf(developerId: string): Promise<{ id: string }[]>
  /** Whether the owner of the project owes money. */
  isOverdue(projectId: string): Promise<boolean>
}
type By = 'money' | 'operator'
export type Suspensions = ReturnType<typeof createSuspensions>

const ACTORS = {
  operator: { type: 'system', id: 'operator', label: 'the operator' },
  money: { type: 'system', id: 'money', label: 'the service' },
} as const

/** Suspended functions do not run: no request, cron, alarm or queue. Code and data stay, and databases can be queried. */
export function createSuspensions(store: FunctionsStore, deps: SuspensionDeps) {
  const { owned, audit, clock } = deps

  async function set(projectId: string, by: By, isSuspended: boolean) {
    for (const { environmentId } of await store.ofProject(projectId)) {
      const hasChanged = await store.change(environmentId, async (transaction) => {
        const mine = store.in(transaction)
        const row = await mine.find(environmentId)
        if (!row || !isAllowed(row.suspendedBy as By | null, by, isSuspended)) return false
        await mine.write({
          ...row,
          suspendedAt: isSuspended ? timestamp(clock) : null,
          suspendedBy: isSuspended ? by : null,
          generation: row.generation + 1,
          updatedAt: timestamp(clock),
        })
        await audit.record(transaction, {
          projectId,
          env: null,
          actor: ACTORS[by],
          action: isSuspended ? 'functions.suspend' : 'functions.resume',
          target: environmentId,
          details: {},
        })
        return true
      })
      if (hasChanged) await owned.apply(environmentId)
    }
  }

  const ofDeveloper = (isSuspended: boolean) => async (developerId: string) => {
    for (const { id } of await deps.projectsOf(developerId)) await set(id, 'money', isSuspended)
  }

  return {
    /** For money. What the operator has suspended stays so. */
    suspend: ofDeveloper(true),
    resume: ofDeveloper(false),

    /** Each hour: what was paid while no node ran. */
    async resumePaid() {
      const projects = new Set((await store.suspendedByMoney()).map(({ projectId }) => projectId))
      for (const projectId of projects)
        if (!(await deps.isOverdue(projectId))) await set(projectId, 'money', false)
    },

    /** For the operator. False if there is no such project. */
    async byOperator(slug: string, isSuspended: boolean): Promise<boolean> {
      const projectId = await deps.findProject(slug)
      if (projectId === undefined) return false
      await set(projectId, 'operator', isSuspended)
      return true
    },
  }
}

/** The operator's word counts more than that of money. */
function isAllowed(suspendedBy: By | null, by: By, isSuspended: boolean): boolean {
  if (isSuspended) return suspendedBy === null || (by === 'operator' && suspendedBy === 'money')
  return suspendedBy === by || (by === 'operator' && suspendedBy !== null)
}
