import { attempt, readJson, type SessionStorage } from '../session/storage.ts'

/** A report of stats that may not have arrived; the service counts it once, by its key. */
export type KeptReport = { key: string; stats: Record<string, number> }
/** The reports of the current player on this device that may not have arrived. */
export type KeptReports = ReturnType<typeof createKeptReports>

/** The service knows the last 16 reports of a stat by their keys. */
const KEPT_MAX = 16

/** Stores reports until the service has answered them, also across visits. Without a player there are none. */
export function createKeptReports(storage: SessionStorage, name: string, playerId: () => string) {
  const ownName = () => `${name}.${playerId()}`
  const list = () => attempt(() => readJson<KeptReport[]>(storage, ownName())) ?? []

  return {
    list,
    /** False if there are too many: this one is lost if it does not arrive. */
    add(report: KeptReport): boolean {
      const isKept = list().length < KEPT_MAX
      if (isKept) storage.setItem(ownName(), JSON.stringify([...list(), report]))
      return isKept
    },
    remove(key: string) {
      const rest = list().filter((report) => report.key !== key)
      if (rest[0]) storage.setItem(ownName(), JSON.stringify(rest))
      else storage.removeItem(ownName())
    },
  }
}
