import { type ConnectionRef, nodeOf } from './connection-ref.ts'

/** What an actor needs of the connections of this node. */
export type LocalConnections<Connection extends LocalConnection = LocalConnection> = {
  find(ref: ConnectionRef): Connection | undefined
  all(): Iterable<Connection>
  /** A frame as it goes over the wire, made once for all who get it. */
  frame(text: string): Buffer
}

export type LocalConnection = {
  ref: ConnectionRef
  /** The names of the actors it belongs to, and the nodes that own them. */
  memberships: Map<string, string>
  send(frame: Buffer): void
  close(code: number, reason: string): void
  /** What it asks next waits for this. */
  queueBehind(work: Promise<unknown>): void
}

/** How members are told on other nodes, and every node which actors its connections belong to. */
export type MemberWire = {
  joined(ref: ConnectionRef): void
  left(ref: ConnectionRef): void
  say(nodeId: string, refs: ConnectionRef[], text: string): void
}

/** The connections of one actor. A message for all of them is serialised and framed once. */
export class Members {
  readonly #here = new Map<ConnectionRef, LocalConnection>()
  readonly #elsewhere = new Map<string, Set<ConnectionRef>>()
  readonly #connections: LocalConnections
  readonly #wire: MemberWire

  constructor(connections: LocalConnections, wire: MemberWire) {
    this.#connections = connections
    this.#wire = wire
  }

  get size(): number {
    let size = this.#here.size
    for (const refs of this.#elsewhere.values()) size += refs.size
    return size
  }

  has(ref: ConnectionRef): boolean {
    return this.#here.has(ref) || (this.#elsewhere.get(nodeOf(ref))?.has(ref) ?? false)
  }

  *refs(): Iterable<ConnectionRef> {
    yield* this.#here.keys()
    for (const refs of this.#elsewhere.values()) yield* refs
  }

  /** A connection that has closed meanwhile is reported gone soon after. */
  add(ref: ConnectionRef) {
    const nodeId = nodeOf(ref)
    const connection = this.#connections.find(ref)
    if (connection) this.#here.set(ref, connection)
    else this.#elsewhere.set(nodeId, (this.#elsewhere.get(nodeId) ?? new Set()).add(ref))
    this.#wire.joined(ref)
  }

  remove(ref: ConnectionRef) {
    if (this.forget(ref)) this.#wire.left(ref)
  }

  /** For one that needs not be told, because it is gone. */
  forget(ref: ConnectionRef): boolean {
    if (this.#here.delete(ref)) return true
    const refs = this.#elsewhere.get(nodeOf(ref))
    if (!refs?.delete(ref)) return false
    if (refs.size === 0) this.#elsewhere.delete(nodeOf(ref))
    return true
  }

  /** To all, or to all but one. */
  send(event: object, except?: ConnectionRef) {
    this.sendText(JSON.stringify(event), except)
  }

  sendText(text: string, except?: ConnectionRef) {
    if (this.#here.size > 0) {
      const frame = this.#connections.frame(text)
      for (const [ref, connection] of this.#here) if (ref !== except) connection.send(frame)
    }
    for (const [nodeId, refs] of this.#elsewhere) {
      this.#wire.say(
        nodeId,
        [...refs].filter((ref) => ref !== except),
        text,
      )
    }
  }

  /** To some of them. */
  sendTo(refs: readonly ConnectionRef[], text: string) {
    const frame = this.#connections.frame(text)
    for (const ref of refs) {
      const connection = this.#here.get(ref)
      if (connection) connection.send(frame)
      else if (this.has(ref)) this.#wire.say(nodeOf(ref), [ref], text)
    }
  }

  /** Those of a node that is lost. */
  ofNode(nodeId: string): ConnectionRef[] {
    return [...(this.#elsewhere.get(nodeId) ?? [])]
  }

  otherNodes(): string[] {
    return [...this.#elsewhere.keys()]
  }
}
