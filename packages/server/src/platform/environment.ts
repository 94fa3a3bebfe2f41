import type { EnvironmentName } from '@svc/contract/shapes'

/** What a key or an address names: players, config and data belong to one environment and never cross (GEN-24). */
export type Environment = { id: string; projectId: string; name: EnvironmentName; slug: string }

/** `star-duel`, for development `star-duel--dev`: where the app of an environment is found below the apps domain. */
export const hostLabel = ({ slug, name }: Pick<Environment, 'slug' | 'name'>): string =>
  name === 'development' ? `${slug}--dev` : slug

export type Project = { id: string; name: string; slug: string; createdAt: string }

export type Developer = { id: string; email: string; name: string | null }
