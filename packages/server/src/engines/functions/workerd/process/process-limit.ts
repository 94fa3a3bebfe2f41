import { ApiError } from '../../../../platform/api-error.ts'

/** The process of an environment. */
type Stoppable = {
  developerId: string | null
  /** False while there is no process, or it is being stopped. */
  isRunning: boolean
  /** Undefined while it is in use. */
  idleSince: number | undefined
  /** Gives requests in flight so long, and resolves when the process has ended. */
  makeRoom(drainMs: number): Promise<void>
}

/** The part of the processes of a node that one developer may have: others must be able to start theirs. */
const DEVELOPER_PART = 1 / 4
/** A process that was used a moment ago is probably needed again in a moment. */
const UNUSED_MS = 10_000
const DRAIN_MS = 5_000

/**
 * Limits the processes of this node, and those of one developer on it. When all are taken, developers who have more processes than others
 * make room for them, also if theirs are in use: code that never ends must not keep everybody else out.
 */
export function createProcessLimit(processesMax: number, processes: Iterable<Stoppable>) {
  const perDeveloperMax = Math.max(1, Math.floor(processesMax * DEVELOPER_PART))
  const byDeveloper = new Map<string | null, number>()
  let total = 0

  const countOf = (developerId: string | null) => byDeveloper.get(developerId) ?? 0

  /** Of its own processes if the developer has the maximum, otherwise of all. */
  function requireVictim(developerId: string | null, isOwnLimit: boolean): Stoppable {
    const all = [...processes].filter(({ isRunning }) => isRunning)
    const own = all.filter((one) => one.developerId === developerId)
    const larger = all.filter((one) => countOf(one.developerId) > countOf(developerId) + 1)
    const unusedBefore = performance.now() - UNUSED_MS
    const unused = all.filter(({ idleSince = Infinity }) => idleSince < unusedBefore)
    const victim = isOwnLimit
      ? idlestOf(own)
      : (idlestOf([...own, ...larger, ...unused]) ?? larger.toSorted(bySize)[0])
    if (!victim) throw new ApiError('functions_overloaded')
    return victim
  }

  const bySize = (a: Stoppable, b: Stoppable) => countOf(b.developerId) - countOf(a.developerId)

  function change(developerId: string | null, by: number) {
    total += by
    const count = countOf(developerId) + by
    if (count > 0) byDeveloper.set(developerId, count)
    else byDeveloper.delete(developerId)
  }

  return {
    /** Resolves when one more process may start. Throws `functions_overloaded` when none can make room. */
    async reserve(developerId: string | null) {
      for (;;) {
        const isOwnLimit = developerId !== null && countOf(developerId) >= perDeveloperMax
        if (!isOwnLimit && total < processesMax) return change(developerId, 1)
        await requireVictim(developerId, isOwnLimit).makeRoom(DRAIN_MS)
      }
    },
    release: (developerId: string | null) => change(developerId, -1),
  }
}

const idlestOf = (candidates: readonly Stoppable[]): Stoppable | undefined =>
  candidates
    .filter(({ idleSince }) => idleSince !== undefined)
    .toSorted((a, b) => (a.idleSince ?? 0) - (b.idleSince ?? 0))[0]
