import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A function that visitors call: where it is, and how its developer deploys. */
export type Target = { name: string; host: string; deploy: () => Promise<number> }
export type Visits = { statuses: Map<string, number>; stop: () => Promise<void> }

const VISIT_MS_MAX = 20_000

/** Visitors who call the functions one after the other, in every way that a browser or a hostile client can. */
export function startVisitors(
  port: number,
  targets: readonly Target[],
  { visitors, number }: { visitors: number; number: (below: number) => number },
): Visits {
  const statuses = new Map<string, number>()
  let isStopped = false
  const add = (name: string) => statuses.set(name, (statuses.get(name) ?? 0) + 1)

  async function visit(): Promise<void> {
    while (!isStopped) {
      const target = targets[number(targets.length)]
      if (!target) return
      const way = number(10)
      if (way === 0) add(`deployment ${await target.deploy().catch(() => 0)}`)
      else if (way <= 2) {
        await upgrade(port, target.host, number)
        add('upgrade')
      } else add(String(await get(port, target.host, way === 3 ? number(50) : undefined, way === 4)))
      await pause(number(100))
    }
  }
  const ended = Promise.all(Array.from({ length: visitors }, visit))

  return {
    statuses,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

/** The status, or 0 without an answer. Aborts after `abortMs`; with `body`, sends much that nobody reads. */
function get(port: number, host: string, abortMs: number | undefined, body: boolean): Promise<number> {
  return new Promise((resolve) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      headers: { host },
      method: body ? 'POST' : 'GET',
      agent: false,
    })
    const timer = setTimeout(() => sent.destroy(), abortMs ?? VISIT_MS_MAX)
    let status = 0
    sent.on('error', () => {})
    sent.on('close', () => {
      clearTimeout(timer)
      resolve(status)
    })
    sent.on('response', (response) => {
      status = response.statusCode ?? 0
      // An endless answer: enough of it.
      let left = 2_000_000
      response.on('data', (part: Buffer) => (left -= part.length) < 0 && sent.destroy())
      response.on('error', () => {})
    })
    sent.end(body ? Buffer.alloc(1_000_000) : undefined)
  })
}

/** An upgrade to a WebSocket whose client sends a frame, closes in one of several ways, or stays for a while. */
async function upgrade(port: number, host: string, number: (below: number) => number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.resume()
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await Promise.race([pause(number(3_000)), closed])
  const way = number(4)
  if (way === 0) socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]))
  if (way === 1) socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))
  await Promise.race([pause(number(500)), closed])
  if (way === 2) socket.resetAndDestroy()
  else socket.destroy()
  await closed
}
