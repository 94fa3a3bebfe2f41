import type { Environment } from '../../platform/environment.ts'
import type { Keys } from './keys.ts'

export type OverviewDeps = {
  configVersion(environmentId: string): Promise<number>
  players(environmentId: string): Promise<{ total: number; guests: number; banned: number }>
  /** The last `days` days, oldest first. */
  dailyActives(environmentId: string, days: number): Promise<{ date: string; count: number }[]>
}

export type Overview = ReturnType<typeof createOverview>

const ACTIVE_DAYS = 14

/** An environment at a glance (DEV-14). */
export const createOverview = (keys: Keys, { configVersion, players, dailyActives }: OverviewDeps) => ({
  read: async (environment: Environment) => ({
    players: await players(environment.id),
    dailyActives: await dailyActives(environment.id, ACTIVE_DAYS),
    configVersion: await configVersion(environment.id),
    keys: await keys.list(environment),
  }),
})
