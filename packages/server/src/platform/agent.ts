import type { Actor } from '@svc/contract/common/schemas'

import type { Developer, Environment } from './environment.ts'

/** An agent that acts for a developer in one environment. It may read, and use `tools` beyond that. */
export type Agent = {
  id: string
  label: string
  tools: ReadonlySet<string>
  /** Destructive calls need no approval; only in development. */
  unattended: boolean
  client: string | null
  createdAt: string
  expiresAt: string
  developer: Developer
  environment: Environment
}

/** What the audit log adds to a change of an agent. `approvedBy` is absent if the call needed no approval. */
export type Behalf = { onBehalfOf: string; client: string | null; approvedBy?: string }

/** A symbol, so that nothing but the audit log stores it with the actor. */
const BEHALF = Symbol('behalf')

/** The agent as the author of changes: its label names the human (AUD-02). */
export function agentActor({ id, label, developer, client }: Agent): Actor {
  const actor: Actor = { type: 'agent', id, label: `${label} for ${developer.email}` }
  const behalf: Behalf = { onBehalfOf: developer.id, client }
  return Object.assign(actor, { [BEHALF]: behalf })
}

/** For whom the actor acts; undefined unless it is an agent. */
export const behalfOf = (actor: Actor): Behalf | undefined => (actor as { [BEHALF]?: Behalf })[BEHALF]
