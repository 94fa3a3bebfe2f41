import type { Background } from '../../platform/background.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Audit } from '../../platform/ports/audit.ts'
import type { Messages } from '../../platform/ports/bus.ts'
import type { Transaction, VoiceStore } from './store.ts'

export type SuspensionDeps = {
  clock: Clock
  audit: Audit<Transaction>
  bus: Messages
  background: Background
  findProject(slug: string): Promise<string | undefined>
  /** Ends the calls of the project on this node. */
  closeCalls(projectId: string): void
  /** Every node ends them within a second, also if the message of the bus is lost or the operator's program has no bus. */
  noteRevocation(transaction: Transaction, projectId: string): Promise<void>
}

const TOPIC = 'voice-suspended'
const OPERATOR = { type: 'system', id: 'operator', label: 'the operator' } as const

/** The operator ends the voice calls of a project, and allows them again. */
export function createSuspensions(
  store: VoiceStore,
  { clock, audit, bus, background, findProject, closeCalls, noteRevocation }: SuspensionDeps,
) {
  bus.subscribe(TOPIC, (projectId) => background.run(() => closeIfSuspended(projectId)))

  /** A node may learn of a suspension late, after it has ended and new calls have started. */
  async function closeIfSuspended(projectId: string) {
    if (await store.isSuspended(projectId)) closeCalls(projectId)
  }

  /** Returns false if there is no such project. */
  async function setSuspended(slug: string, isSuspended: boolean): Promise<boolean> {
    const projectId = await findProject(slug)
    if (projectId === undefined) return false
    const entry = {
      projectId,
      env: null,
      actor: OPERATOR,
      action: isSuspended ? 'voice.suspend' : 'voice.resume',
      target: slug,
      details: {},
    }
    await store.setSuspended(projectId, isSuspended ? timestamp(clock) : null, async (transaction) => {
      await audit.record(transaction, entry)
      if (isSuspended) await noteRevocation(transaction, projectId)
    })
    if (isSuspended) await bus.publish(TOPIC, projectId)
    return true
  }

  return { setSuspended, closeIfSuspended }
}
