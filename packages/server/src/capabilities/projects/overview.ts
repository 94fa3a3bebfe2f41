import type { Environment } from '../../platform/environment.ts'
import type { Keys } from './keys.ts'

export type OverviewNeeds = { configVersion(environmentId: string): Promise<number> }

export type Overview = ReturnType<typeof createOverview>

/** An environment at a glance (DEV-14); players join it with their own part. */
export const createOverview = (keys: Keys, { configVersion }: OverviewNeeds) => ({
  read: async (environment: Environment) => ({
    configVersion: await configVersion(environment.id),
    keys: await keys.list(environment),
  }),
})
