import type { Timer } from '../timers.ts'
import type { ConnectionRef } from './connection-ref.ts'
import type { Members } from './members.ts'

export { type ConnectionRef, nodeOf } from './connection-ref.ts'

/**
 * A room, a channel, a queue: one object with one mailbox, on one node at a time. It talks by messages only, so it cannot tell
 * whether those it talks to are on its own node.
 */
export type ActorId = { kind: string; environmentId: string; key: string }

/** The same as one text, which is what nodes and connections know an actor by. Only its last part may hold a colon. */
export type ActorName = string

export const nameOf = ({ kind, environmentId, key }: ActorId): ActorName => `${kind}:${environmentId}:${key}`

export function idOf(name: ActorName): ActorId {
  const first = name.indexOf(':')
  const second = name.indexOf(':', first + 1)
  return {
    kind: name.slice(0, first),
    environmentId: name.slice(first + 1, second),
    key: name.slice(second + 1),
  }
}

/** Messages, answers and snapshots travel as JSON. */
export type Actor<Message, Snapshot> = {
  /** One message at a time: a promise holds the next ones back. What it returns or throws goes to whoever asked. */
  receive(message: Message): unknown
  /** A member's connection has closed, or its node is lost. It is no member any more when this is called. */
  memberDisconnected(member: ConnectionRef): void
  /** What the next owner starts from; undefined: there is nothing worth keeping. */
  snapshot(): Snapshot | undefined
}

/** What an actor stands on. */
export type ActorContext = {
  id: ActorId
  /** The connections that belong to this actor. */
  members: Members
  /** To one connection, member or not. */
  tell(connection: ConnectionRef, event: object): void
  /** By the injected clock; never after the actor has ended or moved. */
  after(ms: number, work: () => unknown): Timer
  /** The snapshot is no longer what was kept last. */
  changed(): void
  /**
   * After every wait, before it does or says anything more: throws where another node may own the actor by now. Whoever asked is
   * then answered by that one, which is asked the same again.
   */
  assertStillOwner(): void
  /** The actor is over: its name is free, its members belong to it no more. */
  end(): void
}

export type ActorKind<Message = never, Snapshot = never> = {
  kind: string
  /** Undefined: there is no such actor (any more). `snapshot` is what the last owner left. */
  open(
    context: ActorContext,
    snapshot: Snapshot | undefined,
  ): Actor<Message, Snapshot> | undefined | Promise<Actor<Message, Snapshot> | undefined>
  /** This node's actors of one environment, asked a question by `survey`. */
  survey?(actors: Iterable<Actor<Message, Snapshot>>, question: unknown): unknown
}
