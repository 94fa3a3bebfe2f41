import { type Clock, timestamp } from '../../platform/clock.ts'
import { hostLabel } from '../../platform/environment.ts'
import { type Audit, type Bus, TOPIC } from './ports.ts'
import type { HostingStore } from './store.ts'

export type SuspensionDeps = {
  clock: Clock
  audit: Audit
  bus: Pick<Bus, 'publish'>
  findProject(slug: string): Promise<string | undefined>
}

const OPERATOR = { type: 'system', id: 'operator', label: 'the operator' } as const

/** Lets the operator suspend and resume the apps of a project. */
export function createSuspensions(store: HostingStore, { clock, audit, bus, findProject }: SuspensionDeps) {
  /** Returns false if there is no such project. */
  return async (slug: string, isSuspended: boolean): Promise<boolean> => {
    const projectId = await findProject(slug)
    if (projectId === undefined) return false
    await store.change(projectId, async (transaction) => {
      await store.in(transaction).setSuspended(projectId, isSuspended ? timestamp(clock) : null)
      await audit.record(transaction, {
        projectId,
        env: null,
        actor: OPERATOR,
        action: isSuspended ? 'hosting.suspend' : 'hosting.resume',
        target: slug,
        details: {},
      })
    })
    for (const name of ['development', 'production'] as const)
      await bus.publish(TOPIC, hostLabel({ slug, name }))
    return true
  }
}
