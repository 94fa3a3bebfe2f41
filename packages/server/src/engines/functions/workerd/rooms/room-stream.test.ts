import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'

import { seededNumbers } from '../../../../testing/hostile-connections.ts'
import { runs } from '../../../../testing/runs.ts'
import { MESSAGE_BYTES_MAX } from './frames.ts'
import { openRoomStream } from './room-stream.ts'

const HEAD = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const MIB = 1024 * 1024

/** Listens in place of a process; `onConnection` plays it. */
async function listen(t: TestContext, onConnection: (socket: Socket) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-stream-'))
  const path = join(folder, 'http.sock')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  }).listen(path)
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await once(server, 'listening')
  return path
}

function open(path: string, openTimeoutMs?: number) {
  const texts: string[] = []
  const ended = Promise.withResolvers<void>()
  const events = {
    onText: (bytes: Buffer) => texts.push(bytes.toString()),
    onPong: () => texts.push('(pong)'),
    onEnd: () => ended.resolve(),
  }
  return { texts, ended: ended.promise, stream: openRoomStream(path, events, openTimeoutMs) }
}

/** Answers the upgrade, and sends these bytes. */
const answerWith = (bytes: string | Buffer) => (socket: Socket) => {
  socket.write(HEAD)
  socket.write(bytes)
}

describe('the stream of a process of rooms', () => {
  test('[RWC-12] a process that does not open it as it must is refused', async (t) => {
    const answers: Record<string, (socket: Socket) => void> = {
      'another status': (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
      'no HTTP': (socket) => socket.write('\x16\x03\x01\x02\x00\r\n\r\n'),
      'a head without end': (socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\n')
        const more = () => socket.write('x: '.padEnd(4_096, 'y') + '\r\n', (error) => error ?? more())
        more()
      },
      'a closed connection': (socket) => socket.destroy(),
      'half of a head': (socket) => socket.end('HTTP/1.1 101 Swi'),
      'no answer': () => {},
    }
    for (const [what, answer] of Object.entries(answers)) {
      const path = await listen(t, answer)
      const { stream, texts } = open(path, what === 'no answer' ? 50 : undefined)
      await assert.rejects(stream, /did not open its stream/, what)
      assert.deepEqual(texts, [])
    }
    await assert.rejects(open('/nowhere/http.sock').stream, /did not open its stream/)
  })

  test('[RWC-12] whatever breaks the protocol or closes ends it once; what came before has arrived', async (t) => {
    const first = Buffer.from('\x81\x05first', 'latin1')
    const ends: Record<string, (socket: Socket) => void> = {
      'a close frame': answerWith(Buffer.concat([first, Buffer.of(0x88, 2, 3, 232)])),
      'binary data': answerWith(Buffer.concat([first, Buffer.of(0x82, 1, 0)])),
      'a message that is too long': answerWith(
        Buffer.concat([first, Buffer.of(0x81, 127, 0, 0, 0, 0, 2, 0, 0, 0)]),
      ),
      'a connection that is closed': (socket) => {
        // Bytes that were not read would turn the end into a reset.
        socket.once('data', () => {
          socket.write(HEAD)
          socket.write(first, () => socket.destroy())
        })
      },
      'a connection that is closed for writing only': (socket) => {
        socket.write(HEAD)
        socket.end(first)
      },
    }
    for (const [what, end] of Object.entries(ends)) {
      const { stream, ended, texts } = open(await listen(t, end))
      const { send, ping, close } = await stream
      await ended
      assert.deepEqual(texts, ['first'], what)
      send('[]')
      ping()
      close()
    }
  })

  test('[RWC-12] a process that does not read is ended when more than 16 MiB wait', async (t) => {
    const { stream, ended } = open(await listen(t, (socket) => socket.pause().write(HEAD)))
    const { send } = await stream
    const batch = 'x'.repeat(MIB)
    let sent = 0
    let isEnded = false
    void ended.then(() => (isEnded = true))
    while (!isEnded && sent < 64) {
      send(batch)
      sent++
      await new Promise(setImmediate)
    }
    assert.ok(sent > 16 && sent < 30, `${sent} MiB were sent`)
  })

  test('[RWC-11] a batch has at most 8 MiB', async (t) => {
    const received = Promise.withResolvers<number>()
    const path = await listen(t, (socket) => {
      let bytes = 0
      socket.write(HEAD)
      socket.on('data', (chunk) => {
        bytes += chunk.length
        if (bytes > MESSAGE_BYTES_MAX + 14) received.resolve(bytes)
      })
    })
    const { send, close } = await open(path).stream
    assert.throws(() => send('x'.repeat(MESSAGE_BYTES_MAX + 1)), RangeError)
    assert.throws(() => send('é'.repeat(MESSAGE_BYTES_MAX / 2) + 'x'), RangeError)
    send('x'.repeat(MESSAGE_BYTES_MAX))
    assert.ok((await received.promise) > MESSAGE_BYTES_MAX)
    close()
  })

  test('[RWC-12] random bytes end it, or are messages; nothing else happens', async (t) => {
    for (let round = 1; round <= runs(20, 2_000); round++) {
      const number = seededNumbers(round)
      const bytes = Buffer.from(
        Array.from({ length: number(200) }, () => (number(4) === 0 ? 0x81 : number(128))),
      )
      const path = await listen(t, (socket) => {
        socket.write(HEAD)
        socket.end(bytes)
      })
      const { stream, ended } = open(path)
      await stream
      await ended
    }
  })
})
