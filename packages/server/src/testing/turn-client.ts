import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'

import { type Address, readXorAddress, writeXorAddress } from '../engines/turn/embedded/addresses.ts'
import { REALM } from '../engines/turn/embedded/authentication.ts'
import { composeChannelData, isChannelData } from '../engines/turn/embedded/channel-data.ts'
import {
  ATTRIBUTE,
  type Attribute,
  composeMessage,
  hasValidIntegrity,
  type Message,
  messageId,
  padded,
  parseMessage,
  TYPE,
  uint32,
  valueOf,
} from '../engines/turn/embedded/stun.ts'
import { WAIT_MAX_MS } from './in-time.ts'

export type Credentials = { username?: string; credential?: string }
type Wire = {
  isStream: boolean
  send(bytes: Buffer): void
  reading(on: boolean): void
  close(): Promise<void>
}
export type TurnClient = Awaited<ReturnType<typeof connectTurn>>

export const UDP_WANTED: Attribute = [ATTRIBUTE.requestedTransport, Buffer.from([17, 0, 0, 0])]

/** One client of a TURN relay on this machine, which sends the messages of a test. */
export async function connectTurn(
  port: number,
  { transport = 'udp', host = '127.0.0.1' }: { transport?: 'udp' | 'tcp'; host?: string } = {},
) {
  const received: Buffer[] = []
  const arrivals = new EventEmitter()
  const take = (bytes: Buffer) => {
    received.push(bytes)
    arrivals.emit('packet')
  }
  const wire = await (transport === 'udp' ? udpTo(host, port, take) : tcpTo(host, port, take, arrivals))
  let nonce: Buffer | undefined

  async function next(): Promise<Buffer> {
    while (received.length === 0) await once(arrivals, 'packet', { signal: AbortSignal.timeout(WAIT_MAX_MS) })
    return received.shift() ?? Buffer.alloc(0)
  }

  function compose(type: number, attributes: readonly Attribute[], credentials?: Credentials) {
    const id = messageId(randomBytes(12))
    if (!credentials || !nonce) return { id, bytes: composeMessage(type, id, attributes) }
    const proof: Attribute[] = [
      [ATTRIBUTE.username, Buffer.from(credentials.username ?? '')],
      [ATTRIBUTE.realm, Buffer.from(REALM)],
      [ATTRIBUTE.nonce, nonce],
    ]
    const key = keyOf(credentials)
    return { id, bytes: composeMessage(type, id, [...attributes, ...proof], { key, fingerprint: true }) }
  }

  async function exchange(type: number, attributes: readonly Attribute[], credentials?: Credentials) {
    const { id, bytes } = compose(type, attributes, credentials)
    wire.send(bytes)
    const answer = messageIn(await next())
    assert.deepEqual(answer.id, id)
    nonce = valueOf(answer, ATTRIBUTE.nonce) ?? nonce
    return answer
  }

  /** Returns the response; code 0 means success. With credentials a challenge is answered first, as clients do. */
  async function ask(type: number, attributes: readonly Attribute[] = [], credentials?: Credentials) {
    if (credentials && !nonce) await exchange(type, attributes)
    const answer = await exchange(type, attributes, credentials)
    const code = codeIn(answer)
    if (credentials && code !== 401 && code !== 438 && code !== 400)
      assert.ok(
        answer.sealed && hasValidIntegrity(keyOf(credentials), answer.sealed),
        'the answer is not sealed',
      )
    return { code, answer }
  }

  return {
    ask,
    compose,
    next,
    send: wire.send,
    close: wire.close,
    reading: wire.reading,
    useNonce: (other: Buffer | undefined) => void (nonce = other),
    nonce: () => nonce,
    /** Resolves when the other side has closed the connection. */
    async closed() {
      await once(arrivals, 'closed', { signal: AbortSignal.timeout(WAIT_MAX_MS) })
    },

    async allocate(credentials: Credentials): Promise<Address> {
      const { code, answer } = await ask(TYPE.allocate, [UDP_WANTED], credentials)
      assert.equal(code, 0)
      const relayed = valueOf(answer, ATTRIBUTE.xorRelayedAddress)
      const address = relayed && readXorAddress(relayed, answer.id)
      assert.ok(address)
      return address
    },
    permit: async (peer: Address, credentials: Credentials) =>
      (await ask(TYPE.createPermission, [peerAttribute(peer)], credentials)).code,
    bind: async (channel: number, peer: Address, credentials: Credentials) =>
      (await ask(TYPE.channelBind, [channelAttribute(channel), peerAttribute(peer)], credentials)).code,

    sendTo(peer: Address, text: string) {
      const attributes: Attribute[] = [peerAttribute(peer), [ATTRIBUTE.data, Buffer.from(text)]]
      wire.send(compose(TYPE.sendIndication, attributes).bytes)
    },
    sendOn: (channel: number, text: string) =>
      wire.send(composeChannelData(channel, Buffer.from(text), wire.isStream)),
    /** Everything that was sent to us before this call arrives before the response. */
    async receivedSoFar(): Promise<string[]> {
      const { id, bytes } = compose(TYPE.binding, [])
      wire.send(bytes)
      const texts: string[] = []
      for (;;) {
        const packet = await next()
        if (!isChannelData(packet) && messageIn(packet).id.equals(id)) return texts
        texts.push(textIn(packet))
      }
    },
    nextText: async () => textIn(await next()),
  }
}

export const codeIn = (answer: Message): number => {
  const error = valueOf(answer, ATTRIBUTE.errorCode)
  return error ? error.readUInt8(2) * 100 + error.readUInt8(3) : 0
}

export function lifetimeIn(answer: Message): number | undefined {
  return valueOf(answer, ATTRIBUTE.lifetime)?.readUInt32BE(0)
}

export const lifetimeAttribute = (seconds: number): Attribute => [ATTRIBUTE.lifetime, uint32(seconds)]

const channelAttribute = (channel: number): Attribute => [
  ATTRIBUTE.channelNumber,
  Buffer.from([channel >> 8, channel & 255, 0, 0]),
]

/** For IPv4 only the cookie matters, which is the same in all messages. */
export const peerAttribute = (peer: Address): Attribute => [
  ATTRIBUTE.xorPeerAddress,
  writeXorAddress(peer, messageId(Buffer.alloc(12))),
]

const keyOf = ({ username, credential }: Credentials): Buffer =>
  hash('md5', `${username}:${REALM}:${credential}`, 'buffer')

function messageIn(packet: Buffer): Message {
  const message = parseMessage(packet)
  assert.ok(message, `not a message: ${packet.toString('hex')}`)
  return message
}

/** `#<channel> …` for channel data, `<port> …` for a data indication. */
function textIn(packet: Buffer): string {
  if (isChannelData(packet)) {
    const data = packet.subarray(4, 4 + packet.readUInt16BE(2))
    return `#${packet.readUInt16BE(0).toString(16)} ${data.toString()}`
  }
  const message = messageIn(packet)
  assert.equal(message.type, TYPE.dataIndication)
  const peer = readXorAddress(valueOf(message, ATTRIBUTE.xorPeerAddress) ?? Buffer.alloc(0), message.id)
  return `${peer?.port} ${valueOf(message, ATTRIBUTE.data)?.toString()}`
}

async function udpTo(host: string, port: number, take: (bytes: Buffer) => void): Promise<Wire> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', take)
  socket.connect(port, host)
  await once(socket, 'connect')
  let closed: Promise<unknown> | undefined
  return {
    isStream: false,
    send: (bytes) => socket.send(bytes),
    reading: () => {},
    close: async () => void (await (closed ??= once(socket.close(), 'close'))),
  }
}

async function tcpTo(
  host: string,
  port: number,
  take: (bytes: Buffer) => void,
  arrivals: EventEmitter,
): Promise<Wire> {
  const socket = connect({ port, host, noDelay: true })
  await once(socket, 'connect')
  let held: Buffer = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('close', () => arrivals.emit('closed'))
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    while (held.length >= 4) {
      const bytes = isChannelData(held) ? padded(4 + held.readUInt16BE(2)) : 20 + held.readUInt16BE(2)
      if (held.length < bytes) return
      take(held.subarray(0, bytes))
      held = held.subarray(bytes)
    }
  })
  return {
    isStream: true,
    send: (bytes) => void socket.write(bytes),
    reading: (on) => void (on ? socket.resume() : socket.pause()),
    async close() {
      if (socket.closed) return
      socket.destroy()
      await once(socket, 'close')
    },
  }
}
