import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import {
  clientClose,
  clientFrame,
  clientText,
  closesOf,
  linksOfFile,
  textsOf,
} from '../../../testing/raw-websocket.ts'
import { textFrame } from './frame.ts'

const open = linksOfFile(1_000)

describe('receiving', () => {
  test('messages, binary messages and pongs are delivered one by one', async (t) => {
    const { client, received } = await open(t)
    client.send(
      clientText('a'),
      clientFrame({ opcode: 2, payload: 'b' }),
      clientFrame({ opcode: 10 }),
      clientText(''),
    )
    await received.until(() => received.messages.length === 2)
    assert.deepEqual([received.messages, received.binaries, received.pongs], [['a', ''], 1, 1])
  })

  test('after pause() not even the rest of the packet is delivered, and after resume() all of it', async (t) => {
    const { client, link, received } = await open(t)
    const remember = received.on.message
    received.on.message = (payload) => {
      remember(payload)
      if (String(payload) === '2' || String(payload) === '3') link.pause()
    }
    client.send(...['1', '2', '3', '4', '5'].map(clientText), clientText('6').subarray(0, 3))
    await received.until(() => received.messages.length === 2)
    await nextTurn()
    assert.deepEqual(received.messages, ['1', '2'])
    link.resume()
    await received.until(() => received.messages.length === 3)
    client.send(clientText('6').subarray(3))
    await nextTurn()
    assert.deepEqual(received.messages, ['1', '2', '3'])
    link.resume()
    await received.until(() => received.messages.length === 6)
    assert.deepEqual(received.messages, ['1', '2', '3', '4', '5', '6'])
  })

  const faults: [name: string, code: number, reason: string, stream: Buffer][] = [
    ['a frame without a mask', 1002, 'invalid_frame', clientFrame({ opcode: 1, mask: null })],
    ['text that is not UTF-8', 1007, 'invalid_frame', clientFrame({ opcode: 1, payload: Buffer.of(0xff) })],
    ['a message over the limit', 1009, 'payload_too_large', clientText('x'.repeat(1_001))],
  ]
  for (const [name, code, reason, stream] of faults) {
    test(`[WSK-05] ${name}: queued frames are sent, then close ${code} ${reason}, and the connection ends`, async (t) => {
      const { client, link, received } = await open(t)
      const remember = received.on.message
      received.on.message = (payload) => {
        remember(payload)
        link.send(textFrame('answer'))
      }
      client.send(clientText('question'), stream, clientText('after'))
      const frames = await client.next(2)
      assert.deepEqual(textsOf(frames.slice(0, 1)), ['answer'])
      assert.deepEqual(closesOf(frames), [[code, reason]])
      await client.ended
      await received.untilClosed()
      assert.deepEqual(received.messages, ['question'])
      assert.deepEqual(received.closed, [[code, reason]])
      assert.deepEqual(client.frames, [])
    })
  }
})

test('pings, pongs and fragments under 128 bytes are reported as control frames, the last fragment is not', async (t) => {
  const { client, received } = await open(t)
  const part = (opcode: number, payloadBytes: number, isFinal = false) =>
    clientFrame({ opcode, isFinal, payload: 'x'.repeat(payloadBytes) })
  client.send(clientFrame({ opcode: 9 }), clientFrame({ opcode: 10 }))
  client.send(part(1, 128), part(0, 127), part(0, 0), part(0, 128), part(0, 0, true))
  await received.until(() => received.messages.length === 1)
  assert.equal(received.controls, 4)
})

describe('closing', () => {
  test('we close: the peer gets the queued frames and the code, its close frame ends the connection', async (t) => {
    const { client, link, received } = await open(t)
    link.send(textFrame('last words'))
    link.close(4003, 'player_banned')
    link.close(1000, 'again')
    link.send(textFrame('too late'))
    const frames = await client.next(2)
    assert.deepEqual(textsOf(frames.slice(0, 1)), ['last words'])
    assert.deepEqual(closesOf(frames), [[4003, 'player_banned']])
    assert.deepEqual(received.closed, [])
    client.send(
      clientText('after'),
      clientFrame({ opcode: 9 }),
      clientFrame({ opcode: 2 }),
      clientFrame({ opcode: 10 }),
      clientClose(4003),
    )
    await client.ended
    await received.untilClosed()
    assert.deepEqual(received.closed, [[4003, 'player_banned']])
    assert.deepEqual([received.messages, received.binaries, received.pongs, client.frames], [[], 0, 0, []])
  })

  for (const [sent, received] of [
    [clientClose(), [null, '', 1005]],
    [clientClose(1000), [1000, '', 1000]],
    [clientClose(4321, 'bye'), [4321, 'bye', 4321]],
  ] as const) {
    test(`the peer closes with ${received[0] ?? 'no code'}: we answer with a close frame and report it once`, async (t) => {
      const { client, link, received: heard } = await open(t)
      client.send(clientText('hello'), sent, clientText('after'))
      assert.deepEqual(closesOf(await client.next(1)), [[received[0], received[1]]])
      await client.ended
      await heard.untilClosed()
      link.close(1000, '')
      link.destroy()
      await nextTurn()
      assert.deepEqual(heard.closed, [[received[2], received[1]]])
      assert.deepEqual(heard.messages, ['hello'])
      assert.deepEqual(client.frames, [])
    })
  }

  test('simultaneous close: both sides receive a close frame, and we report our own code', async (t) => {
    const { client, link, received } = await open(t)
    client.send(clientClose(1001))
    link.close(4004, 'replaced')
    assert.deepEqual(closesOf(await client.next(1)), [[4004, 'replaced']])
    await received.untilClosed()
    assert.deepEqual(received.closed, [[4004, 'replaced']])
    assert.deepEqual(client.frames, [])
  })

  test('a peer that never answers our close frame is disconnected after it received it', async (t) => {
    const { client, link, received } = await open(t)
    link.close(4008, 'idle')
    await client.next(1)
    mock.timers.tick(1_000)
    await nextTurn()
    assert.deepEqual(received.closed, [])
    mock.timers.tick(1_000)
    await client.ended
    await received.untilClosed()
    assert.deepEqual(received.closed, [[4008, 'idle']])
  })

  test('a peer that sends a close frame but never ends its side is disconnected immediately', async (t) => {
    const { client, received } = await open(t)
    client.socket.allowHalfOpen = true
    client.send(clientClose(1000))
    await once(client.socket, 'end')
    assert.deepEqual(closesOf(client.frames), [[1000, '']])
    await received.untilClosed()
    assert.deepEqual(received.closed, [[1000, '']])
  })

  test('a paused connection that we close still reads the answer', async (t) => {
    const { client, link, received } = await open(t)
    link.pause()
    link.close(1012, 'server_restarting')
    await client.next(1)
    client.send(clientClose(1012))
    await received.untilClosed()
    assert.deepEqual(received.closed, [[1012, 'server_restarting']])
  })

  test('reading stops at 64 KB if the peer does not answer our close frame', async (t) => {
    const { client, link, received } = await open(t)
    link.close(4001, 'unauthorized')
    await client.next(1)
    client.send(Buffer.concat(Array.from({ length: 11_000 }, () => clientFrame({ opcode: 9 }))))
    await client.ended
    await received.untilClosed()
    assert.deepEqual(received.closed, [[4001, 'unauthorized']])
  })

  test('refuse(): reading stops, and the connection ends without waiting for an answer', async (t) => {
    const { client, link, received } = await open(t)
    received.on.control = () => link.refuse(4029, 'rate_limited')
    client.send(
      clientText('before'),
      clientFrame({ opcode: 9 }),
      clientText('after'),
      clientFrame({ opcode: 9 }),
    )
    await client.ended
    await received.untilClosed()
    assert.deepEqual(closesOf(client.frames), [[4029, 'rate_limited']])
    assert.deepEqual([received.messages, client.frames.length], [['before'], 1])
    assert.deepEqual(received.closed, [[4029, 'rate_limited']])
  })

  test('half-open: a peer that ends without a close frame is reported as 1006', async (t) => {
    const { client, received } = await open(t)
    client.send(clientText('hello'), clientText('cut').subarray(0, 4))
    client.socket.end()
    await received.untilClosed()
    assert.deepEqual([received.messages, received.closed], [['hello'], [[1006, '']]])
  })

  test('a peer that resets the connection is reported as 1006', async (t) => {
    const { client, link, received } = await open(t)
    client.socket.resetAndDestroy()
    await received.untilClosed()
    link.send(textFrame('to nobody'))
    await nextTurn()
    assert.deepEqual(received.closed, [[1006, '']])
  })

  test('if the peer ends while we wait for its close frame, our code is reported', async (t) => {
    const { client, link, received } = await open(t)
    link.close(1000, 'done')
    await client.next(1)
    client.socket.end()
    await received.untilClosed()
    assert.deepEqual(received.closed, [[1000, 'done']])
  })

  test('destroy() ends immediately: queued frames are not sent, received frames are not delivered', async (t) => {
    const { client, link, received } = await open(t)
    const remember = received.on.message
    received.on.message = (payload) => {
      remember(payload)
      link.send(textFrame('never'))
      link.destroy()
    }
    client.send(clientText('one'), clientText('two'))
    await received.untilClosed()
    await client.ended
    assert.deepEqual([received.messages, received.closed, client.frames], [['one'], [[1006, '']], []])
  })
})
