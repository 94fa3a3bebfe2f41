import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

import fc from 'fast-check'
import { WebSocket, WebSocketServer } from 'ws'

import { textFrame } from '../../src/edge/realtime/websocket/frame.ts'
import { FrameReader } from '../../src/edge/realtime/websocket/reader.ts'
import { acceptWebSocket } from '../../src/edge/realtime/websocket/upgrade.ts'
import { frameStream } from '../../src/testing/frame-streams.ts'
import { closesOf, openRaw } from '../../src/testing/raw-websocket.ts'

/**
 * Compares our WebSocket with `ws`. The short form runs with the tests; a long one:
 *
 *     node --conditions=source packages/server/test/websocket/differential.ts --cases=50000 [--seed=1]
 */
export type Run = { cases: number; seed: number }

const PAYLOAD_BYTES_MAX = 300

/** The server side of one connection. `closed` is the code that is reported to its owner. */
type ServerSide = {
  delivered: string[]
  closed: Promise<number>
  send(text: string): void
  ping(): void
  close(code: number, reason: string): void
}
type Server = { port: number; accepted(): Promise<ServerSide>; stop(): Promise<unknown> }

async function startOurs(): Promise<Server> {
  const server = createServer()
  const accepted = queue<ServerSide>()
  server.on('upgrade', (request, socket, head) => {
    const limits = { payloadBytesMax: PAYLOAD_BYTES_MAX, requestIds: () => 'req_test' }
    const connection = acceptWebSocket(request, socket, head, limits)
    if (!connection) return
    const delivered: string[] = []
    const closed = Promise.withResolvers<number>()
    connection.on = {
      message: (payload) => void delivered.push(`text ${payload.toString()}`),
      binary: () => void delivered.push('binary'),
      pong: () => {},
      control: () => {},
      closed: (code) => closed.resolve(code),
    }
    accepted.push({
      delivered,
      closed: closed.promise,
      send: (text) => connection.send(textFrame(text)),
      ping: () => connection.ping(),
      close: (code, reason) => connection.close(code, reason),
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => new Promise((resolve) => server.close(resolve))
  return { port: (server.address() as AddressInfo).port, accepted: accepted.next, stop }
}

async function startTheirs(): Promise<Server> {
  const options = { host: '127.0.0.1', port: 0, maxPayload: PAYLOAD_BYTES_MAX, perMessageDeflate: false }
  const server = new WebSocketServer(options)
  const accepted = queue<ServerSide>()
  server.on('connection', (socket) => {
    const delivered: string[] = []
    const closed = Promise.withResolvers<number>()
    socket.on('message', (data: Buffer, isBinary) =>
      delivered.push(isBinary ? 'binary' : `text ${data.toString()}`),
    )
    socket.on('error', () => {})
    socket.on('close', (code) => closed.resolve(code))
    accepted.push({
      delivered,
      closed: closed.promise,
      send: (text) => socket.send(text),
      ping: () => socket.ping(),
      close: (code, reason) => socket.close(code, reason),
    })
  })
  await once(server, 'listening')
  const stop = () => new Promise((resolve) => server.close(resolve))
  return { port: (server.address() as AddressInfo).port, accepted: accepted.next, stop }
}

function queue<T>() {
  const items: T[] = []
  const waiting: ((item: T) => void)[] = []
  return {
    push(item: T) {
      const next = waiting.shift()
      if (next) next(item)
      else items.push(item)
    },
    next: () =>
      new Promise<T>((resolve) => {
        const [item] = items.splice(0, 1)
        if (item === undefined) waiting.push(resolve)
        else resolve(item)
      }),
  }
}

/** Where we differ from `ws` on purpose. */
const DIFFERENCES: { why: string; applies(stream: Buffer): boolean }[] = [
  {
    why: 'RFC 6455, 5.2 requires the shortest form of a length, and less than 2^63: we close with 1002, ws reads on',
    applies: (stream) => failureOf(stream) === 'the length is not in its shortest form',
  },
  {
    why: 'ws refuses a length that is too big before the mask has arrived, we when the header is complete: a stream that ends in between',
    applies: (stream) =>
      failureOf(stream) === undefined &&
      failureOf(Buffer.concat([stream, Buffer.alloc(4)])) === 'the message is too big',
  },
  {
    why: 'the same with a length that is not in its shortest form, which ws reads',
    applies: (stream) =>
      failureOf(stream) === undefined &&
      failureOf(Buffer.concat([stream, Buffer.alloc(12)])) === 'the length is not in its shortest form',
  },
]

function failureOf(stream: Buffer): string | undefined {
  let failure: string | undefined
  const nothing = () => {}
  const events = {
    text: nothing,
    binary: nothing,
    ping: nothing,
    pong: nothing,
    fragment: nothing,
    close: nothing,
    fail: (_: undefined, __: number, reason: string) => void (failure = reason),
  }
  new FrameReader(events, undefined, PAYLOAD_BYTES_MAX).read(Buffer.from(stream))
  return failure
}

/** The events of a server for the bytes of a client, which then ends its side. */
async function outcomeOf(server: Server, stream: Buffer, chunkBytes: readonly number[]) {
  const accepted = server.accepted()
  const client = await openRaw(server.port)
  const side = await accepted
  let at = 0
  for (let turn = 0; at < stream.length; turn++) {
    const end = at + 1 + (chunkBytes[turn % chunkBytes.length] ?? 0)
    client.send(stream.subarray(at, end))
    at = end
  }
  client.socket.end()
  const closed = await side.closed
  await client.ended
  const sent = closesOf(client.frames).map(([code]) => code)
  // After a protocol error our server reports the code that it closed with; ws reports 1006, since the client has not answered.
  const isFailure = [1002, 1007, 1009].some((code) => sent[0] === code)
  return { delivered: side.delivered, sent, closed: isFailure ? 'failed' : closed }
}

/** Sends the same bytes, valid and not, to both servers. Returns how often each outcome was seen. */
export async function compareServers({ cases, seed }: Run): Promise<Map<string, number>> {
  const servers = [await startOurs(), await startTheirs()] as const
  const outcomes = new Map<string, number>()
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const chunks = fc.array(fc.nat(200), { minLength: 1, maxLength: 4 })
  const property = fc.asyncProperty(frameStream, chunks, async (stream, chunkBytes) => {
    const known = DIFFERENCES.findIndex(({ applies }) => applies(stream))
    if (known >= 0) return void count(`known difference ${known + 1}`)
    const [ours, theirs] = await Promise.all(servers.map((server) => outcomeOf(server, stream, chunkBytes)))
    assert.deepEqual(ours, theirs)
    count(String(ours?.sent[0] === undefined ? ours?.closed : ours.sent[0]))
  })
  try {
    await fc.assert(property, { numRuns: cases, seed })
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()))
  }
  return outcomes
}

const code = fc.constantFrom(1000, 1001, 1011, 3000, 4001, 4999)
const reason = fc.string({ maxLength: 20 })
const text = fc.string({ unit: 'grapheme', maxLength: 60 })
const step = fc.oneof(
  fc.record({ do: fc.constant('send' as const), text, parts: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('ping' as const), text: fc.string({ maxLength: 30 }) }),
  fc.record({ do: fc.constant('binary' as const), text }),
  fc.record({ do: fc.constant('serve' as const), text }),
  fc.record({ do: fc.constant('big' as const), bytes: fc.constantFrom(125, 126, 65_535, 65_536, 100_000) }),
  fc.record({ do: fc.constant('serverPing' as const) }),
)
const end = fc.record({ by: fc.constantFrom('client', 'server', 'vanish'), code, reason })

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type End = typeof end extends fc.Arbitrary<infer E> ? E : never

/** The events of a `ws` client and of the server for one connection. */
async function sessionOf(server: Server, steps: readonly Step[], ending: End) {
  const accepted = server.accepted()
  const client = new WebSocket(`ws://127.0.0.1:${server.port}/v1/realtime`, { perMessageDeflate: false })
  const seen = { messages: [] as string[], pings: 0, lastPong: '' }
  client.on('message', (data: Buffer) => seen.messages.push(data.toString()))
  client.on('ping', () => seen.pings++)
  // Only the last of several pings is answered, as RFC 6455, 5.5.3 allows.
  client.on('pong', (data) => void (seen.lastPong = data.toString()))
  client.on('error', () => {})
  const closed = new Promise<[number, string]>((resolve) =>
    client.on('close', (closeCode, data) => resolve([closeCode, data.toString()])),
  )
  await once(client, 'open')
  const side = await accepted
  for (const each of steps) {
    if (each.do === 'send') sendInParts(client, each.text, each.parts)
    else if (each.do === 'ping') client.ping(each.text)
    else if (each.do === 'binary') client.send(Buffer.from(each.text))
    else if (each.do === 'serve') side.send(each.text)
    else if (each.do === 'big') side.send('a'.repeat(each.bytes))
    else side.ping()
  }
  // A round trip in both directions, so that no data is in flight when one side closes.
  client.ping('last')
  while (seen.lastPong !== 'last') await once(client, 'pong')
  if (ending.by === 'client') client.close(ending.code, ending.reason)
  else if (ending.by === 'server') side.close(ending.code, ending.reason)
  else client.terminate()
  const clientClosed = await closed
  const serverClosed = await side.closed
  return { ...seen, delivered: side.delivered, clientClosed, serverClosed }
}

function sendInParts(client: WebSocket, whole: string, parts: number) {
  const bytes = Buffer.from(whole)
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((bytes.length * part) / parts)
    const to = Math.floor((bytes.length * (part + 1)) / parts)
    client.send(bytes.subarray(from, to), { fin: part === parts - 1, binary: false })
  }
}

/** Runs the same session of a `ws` client with both servers. */
export async function compareSessions({ cases, seed }: Run): Promise<void> {
  const servers = [await startOurs(), await startTheirs()] as const
  const steps = fc.array(step, { maxLength: 8 })
  const property = fc.asyncProperty(steps, end, async (each, ending) => {
    const [ours, theirs] = await Promise.all(servers.map((server) => sessionOf(server, each, ending)))
    assert.deepEqual(ours, theirs)
  })
  try {
    await fc.assert(property, { numRuns: cases, seed })
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()))
  }
}

if (import.meta.main) {
  const options = { cases: { type: 'string', default: '10000' }, seed: { type: 'string' } } as const
  const { values } = parseArgs({ options })
  const run = { cases: Number(values.cases), seed: Number(values.seed ?? Date.now() % 1_000_000_000) }
  console.log(`seed ${run.seed}`)
  console.log(Object.fromEntries(await compareServers(run)))
  await compareSessions(run)
}
