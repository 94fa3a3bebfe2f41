import type { Timer } from '../time/timers.ts'
import type { ConnectionRef } from './connection-ref.ts'
import type { Members } from './members.ts'

export { type ConnectionRef, nodeOf } from './connection-ref.ts'

/**
 * A room, a channel, a queue: one object with one mailbox, on one node at a time. It communicates only by messages, so it need not
 * know on which node the other side is.
 */
export type ActorId = { kind: string; environmentId: string; key: string }

/** The messages that an actor kind accepts: message type → fields of the message, and the answer. All of it is sent as JSON. */
export type Protocol = Record<string, { message: object; answer: unknown }>

/** A message of this type, with its fields. */
export type MessageOf<P extends Protocol, Type extends keyof P> = { type: Type } & P[Type]['message']

declare const protocol: unique symbol

/** An actor's id as one text: nodes and connections refer to the actor by it. Its type says which messages the actor accepts. */
export type ActorName<P extends Protocol = Protocol> = string & { readonly [protocol]: P }

/** Only the key may contain a colon. */
export const nameOf = <P extends Protocol>({ kind, environmentId, key }: ActorId): ActorName<P> =>
  `${kind}:${environmentId}:${key}` as ActorName<P>

/** The inverse of `nameOf`. */
export function idOf(name: string): ActorId {
  const first = name.indexOf(':')
  const second = name.indexOf(':', first + 1)
  return {
    kind: name.slice(0, first),
    environmentId: name.slice(first + 1, second),
    key: name.slice(second + 1),
  }
}

/** Thrown when the actor has ended or has moved to another node. The request is then repeated at its owner, if there is one. */
export class ActorMovedError extends Error {}

/**
 * An answer that the caller waits for and the mailbox does not: the actor handles other messages in the meantime. After each of its
 * waits the work must call `assertStillOwner`, and must expect that the actor has changed.
 *
 * @example relay: (room, message) => new DetachedAnswer(room.askRelay(message))
 */
export class DetachedAnswer<Answer> {
  readonly promise: Promise<Answer>

  constructor(promise: Promise<Answer>) {
    this.promise = promise
  }
}

type Handled<Answer> = Answer | DetachedAnswer<Answer> | Promise<Answer | DetachedAnswer<Answer>>

/** One per message type. An actor handles one message at a time: a promise delays the following ones. Errors go to the caller. */
export type Handlers<P extends Protocol, A> = {
  [Type in keyof P]: (actor: A, message: P[Type]['message']) => Handled<P[Type]['answer']>
}

/** What every actor implements. Its messages go to the `handlers` of its kind. */
export type Actor<Snapshot> = {
  /**
   * A member's connection has closed, or its node is lost. It is no longer a member when this is called. `wasLost`: the client did not
   * say that it goes, so it is probably back in a moment.
   */
  memberDisconnected(member: ConnectionRef, wasLost: boolean): void
  /** The state from which the next owner starts, stored as JSON; undefined if there is nothing to keep. */
  snapshot(): Snapshot | undefined
  /** Called when this node stops, before the last `snapshot` and perhaps twice, for what takes a moment. It is not waited for longer than 2 s. */
  beforeRelease?(): Promise<void>
  /**
   * Called once, when the actor ends, moves to another node or its node stops: release here what does not end by itself. Timers are
   * already cancelled, and members can no longer be reached.
   */
  close?(): void
}

/** What the runtime offers to an actor. */
export type ActorContext = {
  id: ActorId
  /** The connections that belong to this actor. */
  members: Members
  /** Sends to one connection, which need not be a member. */
  sendEvent(connection: ConnectionRef, event: object): void
  /** The same, for an event that is already JSON text. */
  sendText(connection: ConnectionRef, text: string): void
  /** Runs `work` once, by the injected clock; never after the actor has ended or moved. */
  after(ms: number, work: () => unknown): Timer
  /** Call after a change of the state: the last saved snapshot is out of date. */
  changed(): void
  /** Saves the snapshot now, instead of within a second. */
  save(): void
  /**
   * Call after every `await`: throws ActorMovedError when another node may own the actor. The request is then retried at the new
   * owner.
   */
  assertStillOwner(): void
  /**
   * Runs `work` now if this node owns the actor, and returns true. Otherwise it runs when this node is the owner again, and never if
   * another node has taken the actor: so a node that is cut off for a moment loses no announcement.
   */
  whenOwned(work: () => void): boolean
  /** Ends the actor: frees its name and removes its members. With `first`, the mailbox and the name wait for it. */
  end(first?: () => Promise<unknown>): void
}

/** How actors of one kind are opened, and which messages they handle. `kind` is the first part of their names. */
export type ActorKind<P extends Protocol, A extends Actor<Snapshot>, Snapshot> = {
  kind: string
  /** `snapshot` is the last one that a previous owner saved. An error here goes to the caller, and the name is free again. */
  open(context: ActorContext, snapshot: Snapshot | undefined): A | Promise<A>
  handlers: Handlers<P, A>
  /** How long another node waits for the answers to these messages; 3 s for all others. */
  answerTimeoutsMs?: Partial<Record<keyof P, number>>
}
