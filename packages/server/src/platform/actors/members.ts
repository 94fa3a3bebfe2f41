import { type ConnectionRef, nodeOf } from './connection-ref.ts'

/** The connections of this node, as actors see them. */
export type LocalConnections<Connection extends LocalConnection = LocalConnection> = {
  find(ref: ConnectionRef): Connection | undefined
  all(): Iterable<Connection>
  /** Builds a WebSocket frame, once for all receivers. */
  frame(text: string): Buffer
}

/** A WebSocket connection of this node, as actors see it. */
export type LocalConnection = {
  ref: ConnectionRef
  /** Actor name → owner node, for the actors in which this connection is a member. */
  memberships: Map<string, string>
  send(frame: Buffer): void
  close(code: number, reason: string): void
  /** The connection's next frames are handled after this. */
  queueBehind(work: Promise<unknown>): void
}

/** Messages about members to the nodes of their connections. */
export type MemberMessages = {
  joined(ref: ConnectionRef): void
  left(ref: ConnectionRef): void
  say(nodeId: string, refs: ConnectionRef[], text: string): void
}

/** The connections of one actor. A message to all of them is serialized and framed once. */
export class Members {
  readonly #local = new Map<ConnectionRef, LocalConnection>()
  readonly #remote = new Map<string, Set<ConnectionRef>>()
  readonly #connections: LocalConnections
  readonly #messages: MemberMessages

  constructor(connections: LocalConnections, messages: MemberMessages) {
    this.#connections = connections
    this.#messages = messages
  }

  get size(): number {
    let size = this.#local.size
    for (const refs of this.#remote.values()) size += refs.size
    return size
  }

  has(ref: ConnectionRef): boolean {
    return this.#local.has(ref) || (this.#remote.get(nodeOf(ref))?.has(ref) ?? false)
  }

  *refs(): Iterable<ConnectionRef> {
    yield* this.#local.keys()
    for (const refs of this.#remote.values()) yield* refs
  }

  /** If the connection has already closed, `memberDisconnected` is called soon after. */
  add(ref: ConnectionRef) {
    const nodeId = nodeOf(ref)
    const connection = this.#connections.find(ref)
    if (connection) this.#local.set(ref, connection)
    else this.#remote.set(nodeId, (this.#remote.get(nodeId) ?? new Set()).add(ref))
    this.#messages.joined(ref)
  }

  remove(ref: ConnectionRef) {
    if (this.forget(ref)) this.#messages.left(ref)
  }

  /** For a connection that is closed: its node is not notified. */
  forget(ref: ConnectionRef): boolean {
    if (this.#local.delete(ref)) return true
    const refs = this.#remote.get(nodeOf(ref))
    if (!refs?.delete(ref)) return false
    if (refs.size === 0) this.#remote.delete(nodeOf(ref))
    return true
  }

  /** Sends to all members, or to all except one. */
  send(event: object, except?: ConnectionRef) {
    this.sendText(JSON.stringify(event), except)
  }

  sendText(text: string, except?: ConnectionRef) {
    if (this.#local.size > 0) {
      const frame = this.#connections.frame(text)
      for (const [ref, connection] of this.#local) if (ref !== except) connection.send(frame)
    }
    for (const [nodeId, refs] of this.#remote) {
      this.#messages.say(
        nodeId,
        [...refs].filter((ref) => ref !== except),
        text,
      )
    }
  }

  /** Sends to these members only. */
  sendTo(refs: readonly ConnectionRef[], text: string) {
    const frame = this.#connections.frame(text)
    for (const ref of refs) {
      const connection = this.#local.get(ref)
      if (connection) connection.send(frame)
      else if (this.has(ref)) this.#messages.say(nodeOf(ref), [ref], text)
    }
  }

  /** The members whose connections are on this node. */
  ofNode(nodeId: string): ConnectionRef[] {
    return [...(this.#remote.get(nodeId) ?? [])]
  }

  otherNodes(): string[] {
    return [...this.#remote.keys()]
  }
}
