import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { frameProblem } from './frame-check.ts'
import { inTime, WAIT_MAX_MS } from './in-time.ts'
import type { Service } from './service.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not so
export type Received = { t: string; [field: string]: any }
type Refusal = { code: string; message: string; details?: Record<string, unknown> }

export type TestSocket = Awaited<ReturnType<typeof openSocket>>
/** A service in this process, or a server program. */
export type Node = Pick<Service, 'http'> | { port: number }

/** The port of a running service; the first call makes it listen. */
export async function portOf(node: Node): Promise<number> {
  if ('port' in node) return node.port
  const { http } = node
  if (!http.server.listening) await http.listen({ port: 0, host: '127.0.0.1' })
  return (http.server.address() as AddressInfo).port
}

/**
 * A WebSocket of the platform (not ours), with what tests need: awaiting events in order, and requests with replies. Every received
 * frame is checked against the contract.
 */
export async function openSocket(node: Node, headers: Record<string, string> = {}) {
  const url = `ws://127.0.0.1:${await portOf(node)}/v1/realtime`
  // Node's WebSocket accepts headers, which a browser's does not: tests need to set the origin of a page.
  const socket = new WebSocket(url, { headers } as never)
  const received: Received[] = []
  let read = 0
  let wake: (() => void) | undefined
  let rid = 0
  /** rid → type of the request. */
  const asked = new Map<unknown, string>()
  const problems: string[] = []
  const closed = Promise.withResolvers<{ code: number; reason: string }>()

  socket.addEventListener('message', ({ data }) => {
    const event = JSON.parse(String(data)) as Received
    const problem = frameProblem(event, asked.get(event['rid']))
    if (problem !== undefined) problems.push(`${problem}\n${String(data).slice(0, 500)}`)
    received.push(event)
    wake?.()
  })
  socket.addEventListener('close', ({ code, reason }) => {
    closed.resolve({ code, reason })
    wake?.()
  })
  socket.addEventListener('error', () => {})
  const refused = closed.promise.then(() => assert.fail('there was no connection'))
  await Promise.race([once(socket, 'open', { signal: AbortSignal.timeout(WAIT_MAX_MS) }), refused])
  refused.catch(() => {})

  /** The first unread event for which the condition is true; earlier ones are skipped. */
  async function until(isIt: (event: Received) => boolean, what: string): Promise<Received> {
    const deadline = Date.now() + WAIT_MAX_MS
    for (;;) {
      assert.deepEqual(problems, [], 'the service broke the contract')
      while (read < received.length) {
        const event = received[read++]
        if (event && isIt(event)) return event
      }
      if (socket.readyState === WebSocket.CLOSED) {
        const { code, reason } = await closed.promise
        assert.fail(`the connection closed with ${code} ${reason} before ${what} came`)
      }
      const left = deadline - Date.now()
      if (left <= 0) assert.fail(`${what} did not come; last: ${JSON.stringify(received.slice(-3))}`)
      await new Promise<void>((resolve) => {
        // A test that has ended may have left a wait behind, for which the process must not stay.
        const timer = setTimeout(resolve, left).unref()
        wake = () => (clearTimeout(timer), resolve())
      })
    }
  }

  const send = (frame: object | string) =>
    socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))

  /** The reply's data; use `refusal` for an error. */
  async function reply(frame: object): Promise<Received> {
    const mine = `r${++rid}`
    asked.set(mine, String((frame as Received).t))
    send({ ...frame, rid: mine })
    return until(({ t, rid: its }) => t === 'reply' && its === mine, `the reply to ${JSON.stringify(frame)}`)
  }

  return {
    socket,
    /** All received frames, in order. */
    received,
    get closed() {
      return inTime(closed.promise, 'the end of the connection', WAIT_MAX_MS)
    },
    send,
    next: (t: string) => until((event) => event.t === t, t),
    until,

    async request(frame: object) {
      const answer = await reply(frame)
      assert.equal(answer.ok, true, JSON.stringify(answer))
      return answer.data
    },
    async refusal(frame: object): Promise<Refusal> {
      const answer = await reply(frame)
      assert.equal(answer.ok, false, JSON.stringify(answer))
      return answer.error
    },
    /** Resolves when everything that was sent to us before this call has arrived: a reply arrives after earlier frames. */
    async settled() {
      await reply({ t: 'no such type' })
    },
    async close(code?: number) {
      socket.close(code)
      const end = await closed.promise
      assert.deepEqual(problems, [], 'the service broke the contract')
      return end
    },
  }
}

/** Connects and waits for `welcome`. `player` is the response of a guest's sign-in, or undefined for an anonymous connection. */
export async function connect(
  node: Node,
  side: { publishableKey: string },
  player?: { accessToken: string },
  headers: Record<string, string> = {},
) {
  const socket = await openSocket(node, headers)
  const who = player ? { token: player.accessToken } : { anon: true }
  socket.send({ t: 'auth', key: side.publishableKey, ...who })
  const welcome = await socket.next('welcome')
  return Object.assign(socket, { welcome, id: String(welcome['playerId']) })
}
