import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { callControl, ControlError, pingControl } from './control.ts'
import { HttpClient } from './http-client/http-client.ts'

/** A process that was taken over answers for the control worker. */
async function connectTo(t: TestContext, answer: (socket: Socket) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-control-'))
  const path = join(folder, 'control.sock')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  }).listen(path)
  const client = new HttpClient(path, 1_000)
  t.after(() => {
    client.close()
    server.close()
    for (const socket of sockets) socket.destroy()
    rmSync(folder, { recursive: true })
  })
  await once(server, 'listening')
  return client
}

const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const whole = (text: string) => (socket: Socket) =>
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`)

test('an answer without end is not kept', async (t) => {
  let isClosed = false
  const client = await connectTo(t, (socket) => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    socket.write(head)
    const writeMore = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', writeMore).on('close', () => (isClosed = true))
    writeMore()
  })
  await assert.rejects(callControl(client, 'query', {}, 60_000), /the answer is too long/)
  await assert.rejects(pingControl(client), ControlError)
  assert.ok(isClosed)
})

test('an answer that is not valid is an error of the call', async (t) => {
  for (const text of ['', 'null', '1', '"text"', '{'])
    await assert.rejects(callControl(await connectTo(t, whole(text)), 'query', {}, 60_000), ControlError)
})

test('counts that are not numbers from 0 on are refused', async (t) => {
  const counts = { rowsRead: 1, rowsWritten: 2, deliveries: 0 }
  const ping = async (value: unknown) => pingControl(await connectTo(t, whole(JSON.stringify(value))))
  assert.deepEqual(await ping(counts), counts)
  for (const wrong of [null, [], {}, { ...counts, rowsRead: -1 }, { ...counts, rowsWritten: '9' }, 7])
    await assert.rejects(ping(wrong), ControlError)
})
