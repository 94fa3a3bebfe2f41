import type { Clock } from '../../platform/clock.ts'
import type { Sfu } from '../../platform/ports/sfu.ts'
import type { Turn } from '../../platform/ports/turn.ts'
import type { Random } from '../../platform/random.ts'
import type { SlidingCounters } from '../../platform/time/sliding-limit.ts'

export type CallDeps = {
  clock: Clock
  random: Random
  sfu: Omit<Sfu, 'close'>
  turn: Pick<Turn, 'isOfOneNode' | 'iceServers'>
  counters: SlidingCounters
  minutesMax: number
  /** Under 13. */
  isChild(environmentId: string, playerId: string): Promise<boolean>
  /** By the operator: calls of both modes. */
  isSuspended(projectId: string): Promise<boolean>
  /** The project owes money: no relay calls. */
  isOverdue(projectId: string): Promise<boolean>
  noteUsage(environmentId: string, component: 'voice.relayMinutes', minutes: number): void
  report(error: unknown): void
}
