import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'

import { clientText, linksOfFile, textsOf } from '../../../testing/raw-websocket.ts'
import { DirectSocket, directSocketOf } from './direct-socket.ts'
import { textFrame } from './frame.ts'

const open = linksOfFile(65_536)

describe('the socket of a WebSocket', () => {
  test('is read without a stream, if it is a plain TCP socket', async (t) => {
    const { socket } = await open(t)
    assert.ok(socket instanceof DirectSocket)
    assert.notEqual(socket.remoteAddress, undefined)
    const stream = new PassThrough()
    assert.equal(directSocketOf(stream), stream)
    class OtherSocket extends Socket {}
    const other = new OtherSocket()
    assert.equal(directSocketOf(other), other)
    const closed = new Socket()
    assert.equal(directSocketOf(closed), closed)
  })

  test('keeps its bytes apart from those of others, though all are read into one buffer', async (t) => {
    const peers = [await open(t), await open(t), await open(t)]
    const texts = peers.map((_, at) => String(at).repeat(200))
    const frames = texts.map(clientText)
    for (let from = 0; from < 208; from += 52)
      for (const [at, { client }] of peers.entries()) {
        const before = peers[at]?.socket.bytesRead ?? 0
        client.send(frames[at]?.subarray(from, from + 52) ?? Buffer.of())
        while (peers[at]?.socket.bytesRead === before) await new Promise(setImmediate)
      }
    for (const [at, { received }] of peers.entries()) {
      await received.until(() => received.messages.length === 1)
      assert.deepEqual(received.messages, [texts[at]])
    }
  })

  test('can be written, and tells when the peer has ended', async (t) => {
    const { client, link, received } = await open(t)
    link.send(textFrame('hello'))
    assert.deepEqual(textsOf(await client.next(1)), ['hello'])
    client.socket.end()
    await received.untilClosed()
    assert.deepEqual(received.closed, [[1006, '']])
  })
})
