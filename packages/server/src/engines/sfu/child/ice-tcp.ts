import { createSocket } from 'node:dgram'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'

import { type IcePasswords, readBindingRequest } from './stun.ts'
import { createTcpLimits, type TcpEntry } from './tcp-limits.ts'

type Engine = { address: string; port(): number }
type IceTcp = { server: Server; connections(): number }

const FIRST_FRAME_TIMEOUT_MS = 5_000
const FRAME_BYTES_MAX = 1_500
const QUEUED_BYTES_MAX = 64 * 1024
const LENGTH_BYTES = 2
/** ICE checks the connection every few seconds. */
const IDLE_MS = 30_000

/**
 * ICE over TCP for an engine that has only UDP (RFC 6544, passive; framing of RFC 4571). Each connection gets a UDP socket to the
 * engine's port, so the engine sees one more UDP peer. The first frame must be a request for one of our open connections.
 */
export function createIceTcp(engine: Engine, passwords: IcePasswords): IceTcp {
  const limits = createTcpLimits()

  const server = createServer((socket) => {
    // It has gone already.
    if (socket.remoteAddress === undefined) return void socket.destroy()
    const { remoteAddress } = socket
    bridge(socket, engine, passwords, (end) => limits.enter(remoteAddress, end))
  })
  // Too many open files: one client is not accepted, the process continues.
  server.on('error', () => {})
  return { server, connections: limits.count }
}

function bridge(
  socket: Socket,
  engine: Engine,
  passwords: IcePasswords,
  enter: (end: () => void) => TcpEntry,
) {
  const udp = createSocket(isIPv6(engine.address) ? 'udp6' : 'udp4')
  let received: Buffer = Buffer.alloc(0)
  let isKnown = false
  let isOver = false
  socket.setNoDelay(true)
  socket.setTimeout(IDLE_MS, end)
  const timer = setTimeout(() => !isKnown && end(), FIRST_FRAME_TIMEOUT_MS)
  const entry = enter(end)

  function end() {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    socket.destroy()
    udp.close()
    entry.leave()
  }

  socket.on('data', (data: Buffer) => {
    received = received.length > 0 ? Buffer.concat([received, data]) : data
    while (received.length >= LENGTH_BYTES) {
      const length = received.readUInt16BE(0)
      if (length === 0 || length > FRAME_BYTES_MAX) return end()
      if (received.length < LENGTH_BYTES + length) return
      const frame = received.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
      received = received.subarray(LENGTH_BYTES + length)
      if (!isKnown) {
        const request = readBindingRequest(frame, passwords)
        isKnown = request !== undefined && entry.admit(request.name)
        if (!isKnown) return end()
      }
      udp.send(frame, engine.port(), engine.address)
    }
  })
  udp.on('message', (message) => {
    // A member that reads too slowly loses packets, as on a slow network.
    if (isOver || socket.writableLength > QUEUED_BYTES_MAX) return
    const frame = Buffer.allocUnsafe(LENGTH_BYTES + message.length)
    frame.writeUInt16BE(message.length, 0)
    message.copy(frame, LENGTH_BYTES)
    socket.write(frame)
  })
  udp.on('error', end)
  socket.on('error', end)
  socket.on('close', end)
  udp.bind(0, engine.address)
}
