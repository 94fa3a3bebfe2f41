import { type Clock, timestamp } from '../../platform/clock.ts'
import { runSequentially } from '../../platform/jobs/run-sequentially.ts'
import type { ChangedEnvironment, Changes } from './changes.ts'
import type { FunctionsStore } from './store.ts'

type SuspensionDeps = {
  change: Changes
  clock: Clock
  findProject(slug: string): Promise<string | undefined>
  projectsOf(developerId: string): Promise<{ id: string }[]>
  /** Whether the owner of the project owes money. */
  isOverdue(projectId: string): Promise<boolean>
}
type By = 'money' | 'operator'

const ACTORS = {
  operator: { type: 'system', id: 'operator', label: 'the operator' },
  money: { type: 'system', id: 'money', label: 'the service' },
} as const

/** Suspended functions do not run: no request, cron, alarm or queue. Code and data stay, and databases can be queried. */
export function createSuspensions(store: FunctionsStore, deps: SuspensionDeps) {
  const { change, clock } = deps

  const setOne = (environment: ChangedEnvironment, by: By, isSuspended: boolean) =>
    change(environment, ACTORS[by], async (mine) => {
      const row = await mine.find(environment.id)
      if (!row || !isAllowed(row.suspendedBy as By | null, by, isSuspended)) return undefined
      return {
        row: {
          ...row,
          suspendedAt: isSuspended ? timestamp(clock) : null,
          suspendedBy: isSuspended ? by : null,
        },
        action: isSuspended ? 'functions.suspend' : 'functions.resume',
      }
    })

  /** A process that cannot be switched now follows within a minute; the other environments do not wait for it. */
  async function set(projectIds: readonly string[], by: By, isSuspended: boolean) {
    await runSequentially(
      projectIds.map((projectId) => async () => {
        const environments = await store.ofProject(projectId)
        await runSequentially(
          environments.map(
            ({ environmentId: id }) =>
              () =>
                setOne({ id, projectId, name: null }, by, isSuspended),
          ),
        )
      }),
    )
  }

  const ofDeveloper = (isSuspended: boolean) => async (developerId: string) =>
    set(
      (await deps.projectsOf(developerId)).map(({ id }) => id),
      'money',
      isSuspended,
    )

  /** Those of these projects whose owner owes money, or does not, are switched. */
  const setWhereOverdue = (projects: readonly { projectId: string }[], isSuspended: boolean) =>
    runSequentially(
      projects.map(({ projectId }) => async () => {
        if ((await deps.isOverdue(projectId)) === isSuspended) await set([projectId], 'money', isSuspended)
      }),
    )

  return {
    /** For money. What the operator has suspended stays so. */
    suspend: ofDeveloper(true),
    resume: ofDeveloper(false),

    /** Each hour: what was paid while no node ran. */
    resumePaid: async () => setWhereOverdue(await store.suspendedByMoney(), false),
    /** Each hour: what could not be suspended when the money ran out. */
    suspendOverdue: async () => setWhereOverdue(await store.notSuspended(), true),

    /** For the operator. False if there is no such project. */
    async byOperator(slug: string, isSuspended: boolean): Promise<boolean> {
      const projectId = await deps.findProject(slug)
      if (projectId === undefined) return false
      await set([projectId], 'operator', isSuspended)
      return true
    },
  }
}

/** The operator's word counts more than that of money. */
function isAllowed(suspendedBy: By | null, by: By, isSuspended: boolean): boolean {
  if (isSuspended) return suspendedBy === null || (by === 'operator' && suspendedBy === 'money')
  return suspendedBy === by || (by === 'operator' && suspendedBy !== null)
}
