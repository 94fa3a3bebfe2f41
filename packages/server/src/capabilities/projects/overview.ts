import { type Clock, DAY_MS, millisecondsOf } from '../../platform/clock.ts'
import type { Developer, Environment } from '../../platform/environment.ts'
import type { Keys } from './keys.ts'
import type { EnvironmentState, Projects } from './projects.ts'

type ByDay = ReadonlyMap<string, number>
type Environments<T> = (environmentId: string) => Promise<T>

type OverviewDeps = {
  projects: Pick<Projects, 'list'>
  keys: Pick<Keys, 'list'>
  clock: Clock
  configVersion: Environments<number>
  playersTotal: Environments<number>
  players: Environments<{ total: number; guests: number; banned: number }>
  /** The last `days` days, oldest first. */
  dailyActives(environmentId: string, days: number): Promise<{ date: string; count: number }[]>
  newPlayers(environmentId: string, sinceMs: number): Promise<ByDay>
  bans(environmentId: string, sinceMs: number): Promise<ByDay>
  online: Environments<number>
  onlineInEach(environmentIds: string[]): Promise<number[]>
  openAppeals: Environments<number>
  liveVersion: Environments<number | null>
  failedMails: Environments<number>
  firstPlayerAt: Environments<string | null>
  firstDeploymentAt: Environments<string | null>
  firstRoomAt: Environments<string | null>
}

export type Overview = ReturnType<typeof createOverview>

const ACTIVE_DAYS = 14

/** The overview of an environment (DEV-14), and the list of projects with the state of their environments. */
export function createOverview(deps: OverviewDeps) {
  const { keys, clock, configVersion, players, dailyActives, newPlayers, bans } = deps

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
        players: await players(id),
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
      const [actives, created, banned] = await Promise.all([
        dailyActives(id, days),
        newPlayers(id, sinceMs),
        bans(id, sinceMs),
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
