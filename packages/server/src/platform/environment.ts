import type { Role } from '@svc/contract/common/roles'
import type { EnvironmentName } from '@svc/contract/common/schemas'

/** An environment of a project, identified by a key or a host name. Players, config and data belong to one environment (GEN-24). */
export type Environment = { id: string; projectId: string; name: EnvironmentName; slug: string }

/** The host name of an app below the apps domain: `star-duel`, for development `star-duel--dev`. */
export const hostLabel = ({ slug, name }: Pick<Environment, 'slug' | 'name'>): string =>
  name === 'development' ? `${slug}--dev` : slug

/** A project of a developer. `slug` is part of the addresses of its apps and never changes. */
export type Project = { id: string; name: string; slug: string; createdAt: string }

/** A project of the caller, with the caller's role in it at this moment. */
export type ProjectOfCaller = Project & { role: Role }

/** A developer account. Operators may also use the operator endpoints. `name` is null if the account has none. */
export type Developer = { id: string; email: string; name: string | null; isOperator: boolean }
