import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

import { type Clock, SECOND_MS } from '../../../platform/clock.ts'
import { unmapped } from './addresses.ts'
import { CHANNEL_HEADER_BYTES, isChannelData } from './channel-data.ts'
import { type Link, PACKET_BYTES_MAX } from './client-transport.ts'
import type { Relay } from './relay.ts'
import { MESSAGE_HEADER_BYTES, padded } from './stun.ts'

const CONNECTIONS_MAX = 4_096
/** How long a connection without an allocation stays open. */
const UNUSED_MS = 30 * SECOND_MS
/** Send buffer limit: a client that reads too slowly loses packets, as over UDP. */
const UNSENT_BYTES_MAX = 256 * 1024

type Connection = { link: Link; unusedSinceMs: number }

/** TURN over TCP, for networks that block UDP. */
export async function listenTcp(relay: Relay, ip: string, port: number, clock: Clock) {
  const connections = new Map<Socket, Connection>()
  let count = 0

  const server = createServer({ noDelay: true }, (socket) => {
    const link: Link = {
      key: `tcp ${ip} ${++count}`,
      ip: unmapped(socket.remoteAddress ?? '0.0.0.0'),
      port: socket.remotePort ?? 0,
      isStream: true,
      send: (bytes) => void (socket.writableLength < UNSENT_BYTES_MAX && socket.write(bytes)),
    }
    connections.set(socket, { link, unusedSinceMs: clock.elapsedMs() })
    let held: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      const rest = receiveFrames(held.length > 0 ? Buffer.concat([held, chunk]) : chunk, (frame) =>
        relay.receive(frame, link),
      )
      if (rest) held = rest
      else socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      connections.delete(socket)
      relay.forget(link)
    })
  })
  server.maxConnections = CONNECTIONS_MAX
  server.listen(port, ip)
  await once(server, 'listening')
  server.on('error', () => {})

  return {
    port: (server.address() as AddressInfo).port,
    sweep() {
      const nowMs = clock.elapsedMs()
      for (const [socket, connection] of connections) {
        if (relay.isInUse(connection.link)) connection.unusedSinceMs = nowMs
        else if (nowMs - connection.unusedSinceMs >= UNUSED_MS) socket.destroy()
      }
    },
    async close() {
      for (const socket of connections.keys()) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Passes every complete frame to `receive` and returns the beginning of the next one, always less than a packet. Returns undefined
 * if the bytes are not frames, or `receive` rejects one: the start of the next frame is unknown then.
 */
function receiveFrames(bytes: Buffer, receive: (frame: Buffer) => boolean): Buffer | undefined {
  let at = 0
  while (bytes.length - at >= CHANNEL_HEADER_BYTES) {
    const rest = bytes.subarray(at)
    const frameBytes = frameBytesOf(rest)
    if (frameBytes > PACKET_BYTES_MAX) return undefined
    if (rest.length < frameBytes) return Buffer.from(rest)
    if (!receive(rest.subarray(0, frameBytes))) return undefined
    at += frameBytes
  }
  return Buffer.from(bytes.subarray(at))
}

const frameBytesOf = (bytes: Buffer): number =>
  isChannelData(bytes)
    ? padded(CHANNEL_HEADER_BYTES + bytes.readUInt16BE(2))
    : MESSAGE_HEADER_BYTES + bytes.readUInt16BE(2)
