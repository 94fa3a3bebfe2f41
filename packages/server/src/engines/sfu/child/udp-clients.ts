import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'

import { Counts } from './counts.ts'
import { type BindingRequest, type IcePasswords, isBindingRequest, readBindingRequest } from './stun.ts'

const IDLE_MS = 30_000
const SWEEP_MS = 5_000

export type Engine = { address: string; port: number }
type Client = { upstream: Socket; usedAtMs: number; name: string; ownAddress: string | undefined }
type Limits = { clientsMax: number; perMemberMax?: number }
type Forwarding = {
  /** The address from which the engine sees the client. */
  ownAddress?: string
  /** Changes a binding request before it is forwarded. */
  change?(message: Buffer, request: BindingRequest): Buffer
}

/** An address that cannot be reached must not end the process. */
export const ignoreErrors = () => {}

/**
 * The clients of UDP ports that forward to the engine. Each has a socket of its own, so that the engine sees one more UDP peer. A client
 * begins with a binding request that is signed with the password of one of our open connections.
 */
export function createUdpClients(
  engine: Engine,
  passwords: IcePasswords,
  { clientsMax, perMemberMax = Infinity }: Limits,
) {
  const clients = new Map<string, Client>()
  const ofMember = new Counts(perMemberMax)

  /** Undefined: there are too many. */
  function add(
    name: string,
    socket: Socket,
    from: Engine,
    ownAddress: string | undefined,
  ): Client | undefined {
    if (clients.size >= clientsMax || ofMember.isFull(name)) return undefined
    const upstream = createSocket(isIPv6(engine.address) ? 'udp6' : 'udp4')
    upstream.on('message', (answer, { address, port }) => {
      if (address !== engine.address || port !== engine.port) return
      socket.send(answer, from.port, from.address, ignoreErrors)
    })
    upstream.on('error', ignoreErrors)
    if (ownAddress !== undefined) upstream.bind(0, ownAddress)
    const client = { upstream, usedAtMs: 0, name, ownAddress }
    clients.set(keyOf(from), client)
    ofMember.add(name)
    return client
  }

  function closeWhere(isOver: (client: Client) => boolean) {
    for (const [key, client] of clients) {
      if (!isOver(client)) continue
      client.upstream.close()
      clients.delete(key)
      ofMember.remove(client.name)
    }
  }
  const sweeping = setInterval(
    () => closeWhere(({ usedAtMs }) => performance.now() - usedAtMs >= IDLE_MS),
    SWEEP_MS,
  ).unref()

  return {
    /** Forwards a message that arrived on `socket`, or drops it. */
    forward(socket: Socket, message: Buffer, from: Engine, { ownAddress, change }: Forwarding = {}) {
      // Port 0 means that no response is expected (RFC 768), and Node throws for it.
      if (from.port === 0) return
      const request = readBindingRequest(message, passwords)
      if (!request && isBindingRequest(message)) return
      const client = clients.get(keyOf(from)) ?? (request && add(request.name, socket, from, ownAddress))
      if (!client) return
      client.usedAtMs = performance.now()
      const forwarded = request && change ? change(message, request) : message
      client.upstream.send(forwarded, engine.port, engine.address, ignoreErrors)
    },
    closeWhere,
    close() {
      clearInterval(sweeping)
      closeWhere(() => true)
    },
  }
}

const keyOf = ({ address, port }: Engine) => `${address} ${port}`
