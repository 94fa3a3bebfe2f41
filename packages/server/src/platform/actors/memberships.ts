import { type ConnectionRef, nodeOf } from './connection-ref.ts'
import type { LocalConnection, LocalConnections, MemberMessages } from './members.ts'
import type { Nodes } from './nodes.ts'

/** What memberships need from this node and from the runtime of actors. */
export type MembershipsDeps<Connection extends LocalConnection> = {
  nodeId: string
  nodes: Nodes
  connections: LocalConnections<Connection>
  /** A member of an actor of this node has disconnected. */
  memberDisconnected(name: string, ref: ConnectionRef, wasLost: boolean): void
  /** Rejoins at the actor's current owner. False: the membership is lost, and the client was notified. */
  rejoin(connection: Connection, name: string): Promise<boolean>
}

/**
 * The connections of this node and the actors, of any node, that they are members of. An owner notifies the connection's node of
 * joins and leaves, and sends its events there; the connection's node notifies the owner when a connection has closed.
 */
export function createMemberships<Connection extends LocalConnection>(deps: MembershipsDeps<Connection>) {
  const { nodeId, nodes, connections, memberDisconnected } = deps

  function say(to: string, refs: ConnectionRef[], text: string) {
    if (refs.length === 0) return
    if (to !== nodeId) return nodes.send(to, { type: 'say', refs, text })
    const frame = connections.frame(text)
    for (const ref of refs) connections.find(ref)?.send(frame)
  }

  nodes.on('joined', (from, { name, ref }) => {
    const connection = connections.find(ref)
    if (connection) connection.memberships.set(name, from)
    else sendMemberGone(from, name, ref)
  })
  nodes.on('left', (from, { name, ref }) => {
    const memberships = connections.find(ref)?.memberships
    // A former owner's `left` can arrive after the new owner's `joined`: ignore it.
    if (memberships?.get(name) === from) memberships.delete(name)
  })
  nodes.on('say', (_, { refs, text }) => say(nodeId, refs, text))
  nodes.on('close', (_, { ref, code, reason }) => connections.find(ref)?.close(code, reason))
  nodes.on('gone', (_, { name, ref, wasLost = false }) => memberDisconnected(name, ref, wasLost))

  function sendMemberGone(owner: string, name: string, ref: ConnectionRef, wasLost = false) {
    if (owner !== nodeId) return nodes.send(owner, { type: 'gone', name, ref, wasLost })
    // In a microtask, because the actor itself may be adding this member right now.
    queueMicrotask(() => memberDisconnected(name, ref, wasLost))
  }

  async function rejoin(connection: Connection, name: string, formerOwner: string) {
    const isMember = await deps.rejoin(connection, name)
    // The former owner may still have the actor and this member.
    if (!isMember) sendMemberGone(formerOwner, name, connection.ref)
  }

  return {
    /** How the actor of that name sends messages to the nodes of its members. */
    messagesOf: (name: string): MemberMessages => ({
      joined: (ref) => nodes.send(nodeOf(ref), { type: 'joined', name, ref }),
      left: (ref) => nodes.send(nodeOf(ref), { type: 'left', name, ref }),
      say,
    }),

    /** A connection of this node has closed. */
    connectionClosed(connection: Connection, wasLost: boolean) {
      for (const [name, owner] of connection.memberships) sendMemberGone(owner, name, connection.ref, wasLost)
      connection.memberships.clear()
    },

    close(ref: ConnectionRef, code: number, reason: string) {
      nodes.send(nodeOf(ref), { type: 'close', ref, code, reason })
    },

    /** Members on this node join again, at the same owner or at another one. */
    rejoinWhere(isAffected: (name: string, owner: string) => boolean) {
      for (const connection of connections.all()) {
        for (const [name, owner] of connection.memberships) {
          if (!isAffected(name, owner)) continue
          connection.memberships.delete(name)
          connection.queueBehind(rejoin(connection, name, owner))
        }
      }
    },
  }
}
