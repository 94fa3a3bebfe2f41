import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

import { WebSocket } from 'ws'

/**
 * The players of an honest game, in a process of their own, so that the work of the hostile visitors does not delay their clock. Each
 * message `report` is answered with the latencies since the last one.
 */
export type GameOptions = {
  port: number
  publishableKey: string
  /** Host of the game's functions. */
  host: string
  players: number
  /** Between two requests of a player. */
  pauseMs: number
}
export type Latencies = Record<
  string,
  { count: number; failed: number; p50: number; p99: number; refusals?: Record<string, number> }
>

const options = JSON.parse(process.argv[2] ?? '{}') as GameOptions
const agent = new Agent({ keepAlive: true })
type Session = { accessToken: string; refreshToken: string }

const TIMEOUT_MS = 30_000
/** An access token is valid for 15 minutes. */
const RENEW_MS = 10 * 60_000
let samples = new Map<string, { ms: number[]; refusals: Map<string, number> }>()

/** `work` resolves with undefined, or with how it was refused. */
async function timed(name: string, work: () => Promise<string | undefined>): Promise<void> {
  const startedAt = performance.now()
  const refusal = await work().catch(String)
  const known = samples.get(name) ?? { ms: [], refusals: new Map<string, number>() }
  samples.set(name, known)
  if (refusal === undefined) known.ms.push(performance.now() - startedAt)
  else known.refusals.set(refusal, (known.refusals.get(refusal) ?? 0) + 1)
}

async function play(): Promise<void> {
  const headers: Record<string, string> = {
    'x-svc-key': options.publishableKey,
    'content-type': 'application/json',
  }
  let session = await signIn('/v1/auth/guest', {})
  let renewAt = performance.now() + RENEW_MS
  async function signIn(path: string, body: object): Promise<Session> {
    const { text: answer } = await ask('POST', path, headers, JSON.stringify(body))
    const signedIn = JSON.parse(answer) as Session
    headers['authorization'] = `Bearer ${signedIn.accessToken}`
    return signedIn
  }
  const sent = async (...asked: Parameters<typeof ask>) => {
    const { status, text } = await ask(...asked)
    return status === 200 ? undefined : `${status} ${codeIn(text)}`
  }
  const echo = await openRoom(session.accessToken)

  const requests: Record<string, () => Promise<string | undefined>> = {
    'save, write': () => sent('PUT', '/v1/saves/slot', headers, '{"data":{"score":1}}'),
    'save, read': () => sent('GET', '/v1/saves/slot', headers),
    'room message': echo,
    'function call': () => sent('GET', '/hello', { host: options.host }),
  }
  for (;;) {
    for (const [name, work] of Object.entries(requests)) {
      await timed(name, work)
      await pause(options.pauseMs)
    }
    if (performance.now() < renewAt) continue
    delete headers['authorization']
    session = await signIn('/v1/auth/refresh', { refreshToken: session.refreshToken })
    renewAt = performance.now() + RENEW_MS
  }
}

function ask(method: string, path: string, headers: Record<string, string>, body?: string) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { port } = options
    const sent = request({ port, method, path, headers, agent, timeout: TIMEOUT_MS })
    sent.on('error', reject)
    sent.on('timeout', () => sent.destroy())
    sent.on('response', (response) => {
      text(response).then((all) => resolve({ status: response.statusCode ?? 0, text: all }), reject)
    })
    sent.end(body)
  })
}

/** Resolves with a function that sends a message to the own room, and waits for the reply. */
async function openRoom(token: string): Promise<() => Promise<string | undefined>> {
  const socket = new WebSocket(`ws://127.0.0.1:${options.port}/v1/realtime`)
  const replies = new Map<string, (refusal: string | undefined) => void>()
  socket.on('error', () => {})
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as { t: string; rid?: string; ok?: boolean }
    if (frame.t !== 'reply' || frame.rid === undefined) return
    replies.get(frame.rid)?.(frame.ok === true ? undefined : codeIn(data.toString()))
    replies.delete(frame.rid)
  })
  socket.on('close', (code) => replies.forEach((answer) => answer(`closed with ${code}`)))
  await new Promise((resolve, reject) => socket.on('open', resolve).on('close', reject))
  const askSocket = (frame: object) =>
    new Promise<string | undefined>((resolve) => {
      const rid = randomUUID()
      replies.set(rid, resolve)
      socket.send(JSON.stringify({ ...frame, rid }))
    })
  socket.send(JSON.stringify({ t: 'auth', key: options.publishableKey, token }))
  await askSocket({ t: 'create', mode: 'default' })
  return () => askSocket({ t: 'send', type: 'move', data: { x: 1 } })
}

/** The rest of an answer has the id of the request. */
const codeIn = (text: string): string => /"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 100)

function report(): Latencies {
  const taken = samples
  samples = new Map()
  const at = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return Object.fromEntries(
    [...taken].map(([name, { ms, refusals }]) => {
      const sorted = ms.toSorted((a, b) => a - b)
      const failed = [...refusals.values()].reduce((sum, count) => sum + count, 0)
      const measured = { count: ms.length, failed, p50: at(sorted, 0.5), p99: at(sorted, 0.99) }
      return [name, failed === 0 ? measured : { ...measured, refusals: Object.fromEntries(refusals) }]
    }),
  )
}

process.on('message', () => process.send?.(report()))
for (let player = 0; player < options.players; player++)
  void play().catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
