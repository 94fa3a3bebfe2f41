import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'

import { pino } from 'pino'

import { openFilesMax } from '../../../platform/open-files.ts'
import { createHttpServer } from '../server.ts'

const CONNECTIONS = 20

async function serverWith(t: TestContext, filesMax?: number) {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const http = createHttpServer({
    log,
    requestIds: () => 'req_1',
    ...(filesMax !== undefined && { filesMax }),
  })
  http.get('/', async () => 'served')
  await http.listen({ host: '127.0.0.1', port: 0 })
  const sockets: Socket[] = []
  t.after(async () => {
    sockets.forEach((socket) => socket.destroy())
    await http.close()
  })
  const { port } = http.server.address() as { port: number }

  /** Whether a new connection is served. Then it stays open. */
  async function isServed(): Promise<boolean> {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [event] = await Promise.race([
      once(socket, 'data').then(() => ['data']),
      once(socket, 'close').then(() => ['close']),
    ])
    return event === 'data'
  }
  return { isServed, sockets, lines }
}

test('new connections are closed while nearly all files are open, with one line in the log, and served again afterwards', async (t) => {
  const lowestFree = openSync('/dev/null', 'r')
  closeSync(lowestFree)
  // Each connection is two files here, because its client is in this process.
  const filesMax = Math.ceil((lowestFree + 2 * CONNECTIONS) / 0.9)
  const { isServed, sockets, lines } = await serverWith(t, filesMax)

  let served = 0
  while (await isServed()) served++
  assert.ok(served >= CONNECTIONS / 2 && served <= CONNECTIONS + 1, `${served} served`)
  assert.equal(await isServed(), false)
  assert.equal(lines.length, 1)
  assert.match(
    lines[0] ?? '',
    new RegExp(`nearly all of the ${filesMax} file descriptors .* Raise the limit`),
  )

  const closed = sockets.slice(0, 4).map((socket) => once(socket.destroy(), 'close'))
  await Promise.all(closed)
  // The server learns of it in one of its next ticks.
  while (!(await isServed()));
})

test('the limit of this process leaves room for connections', async (t) => {
  assert.ok((openFilesMax() ?? 0) > 100)
  const { isServed, lines } = await serverWith(t)
  assert.equal(await isServed(), true)
  assert.deepEqual(lines, [])
})
