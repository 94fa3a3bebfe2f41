import { type Clock, DAY_MS, millisecondsOf } from '../../platform/clock.ts'
import type { Developer, Environment } from '../../platform/environment.ts'
import type { Keys } from './keys.ts'
import type { EnvironmentState, Projects } from './projects.ts'

/** Day (UTC) → count. */
type ByDay = ReadonlyMap<string, number>
type PerEnvironment<T> = (environmentId: string) => Promise<T>

type OverviewDeps = {
  projects: Pick<Projects, 'list'>
  keys: Pick<Keys, 'list'>
  clock: Clock
  configVersion: PerEnvironment<number>
  playersTotal: PerEnvironment<number>
  playerCounts: PerEnvironment<{ total: number; guests: number; banned: number }>
  /** The last `days` days, oldest first. */
  dailyActives(environmentId: string, days: number): Promise<{ date: string; count: number }[]>
  newPlayersByDay(environmentId: string, days: readonly string[]): Promise<ByDay>
  bansByDay(environmentId: string, sinceMs: number): Promise<ByDay>
  online: PerEnvironment<number>
  /** In the order of the ids. */
  onlineInEach(environmentIds: string[]): Promise<number[]>
  openAppeals: PerEnvironment<number>
  liveVersion: PerEnvironment<number | null>
  failedMails: PerEnvironment<number>
  firstPlayerAt: PerEnvironment<string | null>
  firstDeploymentAt: PerEnvironment<string | null>
  firstRoomAt: PerEnvironment<string | null>
}

export type Overview = ReturnType<typeof createOverview>

const ACTIVE_DAYS = 14

/** The overview of an environment (DEV-14), and the list of projects with the state of their environments. */
export function createOverview(deps: OverviewDeps) {
  const { keys, clock, configVersion, playerCounts, dailyActives, newPlayersByDay, bansByDay } = deps

  async function statesOf(environmentIds: string[]): Promise<EnvironmentState[]> {
    const online = await deps.onlineInEach(environmentIds)
    return Promise.all(
      environmentIds.map(async (id, index) => ({
        players: await deps.playersTotal(id),
        online: online[index] ?? 0,
        liveVersion: await deps.liveVersion(id),
      })),
    )
  }

  return {
    list: (developer: Developer) => deps.projects.list(developer, statesOf),

    async read(environment: Environment) {
      const { id } = environment
      const ownKeys = await keys.list(environment)
      const [playerAt, deploymentAt, roomAt] = await Promise.all([
        deps.firstPlayerAt(id),
        deps.firstDeploymentAt(id),
        deps.firstRoomAt(id),
      ])
      const uses = ownKeys.flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
      return {
        players: await playerCounts(id),
        dailyActives: await dailyActives(id, ACTIVE_DAYS),
        configVersion: await configVersion(id),
        keys: ownKeys,
        online: await deps.online(id),
        openAppeals: await deps.openAppeals(id),
        failedMails: await deps.failedMails(id),
        firsts: { keyUsedAt: uses.toSorted().at(-1) ?? null, playerAt, deploymentAt, roomAt },
      }
    },

    async activity({ id }: Environment, { days = ACTIVE_DAYS }: { days?: number }) {
      const nowMs = millisecondsOf(clock)
      const sinceMs = (Math.floor(nowMs / DAY_MS) + 1 - days) * DAY_MS
      const actives = await dailyActives(id, days)
      const [created, banned] = await Promise.all([
        newPlayersByDay(
          id,
          actives.map(({ date }) => date),
        ),
        bansByDay(id, sinceMs),
      ])
      return {
        days: actives.map(({ date, count }) => ({
          date,
          actives: count,
          newPlayers: created.get(date) ?? 0,
          bans: banned.get(date) ?? 0,
        })),
      }
    },
  }
}
