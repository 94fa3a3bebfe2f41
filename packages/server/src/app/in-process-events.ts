import type { Disconnection } from '../edge/realtime/rechecks.ts'
import type { Transaction } from '../engines/database/database.ts'
import type { Environment } from '../platform/environment.ts'
import type { Awaitable } from '../platform/memory/awaitable.ts'

/** What happens in one module and concerns modules that are built after it. */
type InProcessEvents = {
  /** In the transaction that deletes a project. */
  'environment.removing': [transaction: Transaction, environmentId: string]
  /** Before and after the rows of a deleted environment are removed. */
  'environment.purging': [environmentId: string]
  'environment.purged': [environmentId: string]
  /** On every node: the role of the developer in the project has changed or ended. May be emitted late, and again. */
  'member.changed': [projectId: string, developerId: string]
  /** In the transaction that ends the membership of a developer, or takes away the role that agents need. */
  'member.ending': [transaction: Transaction, projectId: string, developerId: string]
  /** On every node: the project has another owner. May be emitted late, and again. */
  'owner.changed': [projectId: string]
  /** In the transaction that ends all other sessions of a developer: the password or a sign-in method has changed, or the account ends. */
  'developer.sessions-ending': [transaction: Transaction, developerId: string]
  /** The name is already stored. */
  'player.renamed': [environmentId: string, player: { id: string; displayName: string }]
  /** Connections must be closed: sessions were revoked, or a ban began or ended. */
  'player.disconnected': [whom: Disconnection]
  /** After the connections were closed. */
  'player.banned': [environmentId: string, playerId: string]
  /** In the transaction of a ban, or of the player's choice. */
  'leaderboards.leaving': [
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    why: 'ban' | 'choice',
  ]
  /** After that transaction: all nodes read their lists again. */
  'leaderboards.left': [environmentId: string]
  /** Before usage is charged: what was used until now must be noted. */
  'usage.charging': []
  /** Each handler adds the problems of its features to the map, by the key of the feature. */
  'features.checking': [environment: Environment, problems: Map<string, string[]>]
}

type Handler<Values extends unknown[]> = (...values: Values) => Awaitable<unknown>

/** Modules register in `on`, while they are built, so no module must know who is concerned by what it does. */
export function createInProcessEvents() {
  const handlers: { [Name in keyof InProcessEvents]?: Handler<InProcessEvents[Name]>[] } = {}

  return {
    on<Name extends keyof InProcessEvents>(name: Name, handler: Handler<InProcessEvents[Name]>): void {
      const known: Handler<InProcessEvents[Name]>[] = handlers[name] ?? []
      Object.assign(handlers, { [name]: [...known, handler] })
    },

    /** Runs the handlers one after the other, in the order of `on`. Rejects with the first error; the others do not run. */
    async emit<Name extends keyof InProcessEvents>(
      name: Name,
      ...values: InProcessEvents[Name]
    ): Promise<void> {
      for (const handler of handlers[name] ?? []) await handler(...values)
    },
  }
}
