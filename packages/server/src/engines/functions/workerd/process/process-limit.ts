import { ApiError } from '../../../../platform/api-error.ts'

/** The process of an environment. `idleSince` is undefined while there is none, or it is in use. */
type Stoppable = { developerId: string | null; idleSince: number | undefined; stopIdle(): Promise<void> }

/** The part of the processes of a node that one developer may have: others must be able to start theirs. */
const DEVELOPER_PART = 1 / 4

/** Limits the processes of this node, and those of one developer on it. */
export function createProcessLimit(processesMax: number, processes: Iterable<Stoppable>) {
  const perDeveloperMax = Math.max(1, Math.floor(processesMax * DEVELOPER_PART))
  const byDeveloper = new Map<string | null, number>()
  let total = 0

  const countOf = (developerId: string | null) => byDeveloper.get(developerId) ?? 0

  /** Stops the process that has been idle for the longest time. */
  async function stopIdlest(candidates: Stoppable[]) {
    const [idlest] = candidates
      .filter(({ idleSince }) => idleSince !== undefined)
      .toSorted((a, b) => (a.idleSince ?? 0) - (b.idleSince ?? 0))
    if (!idlest) throw new ApiError('functions_overloaded')
    await idlest.stopIdle()
  }

  function change(developerId: string | null, by: number) {
    total += by
    const count = countOf(developerId) + by
    if (count > 0) byDeveloper.set(developerId, count)
    else byDeveloper.delete(developerId)
  }

  return {
    /** Resolves when one more process may start. Throws `functions_overloaded` when none is idle. */
    async reserve(developerId: string | null) {
      for (;;) {
        const isOwnLimit = developerId !== null && countOf(developerId) >= perDeveloperMax
        if (!isOwnLimit && total < processesMax) return change(developerId, 1)
        await stopIdlest([...processes].filter((one) => !isOwnLimit || one.developerId === developerId))
      }
    },
    release: (developerId: string | null) => change(developerId, -1),
  }
}
