import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
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

describe('sending', () => {
  test('everything arrives in the order it was sent, within a tick and across ticks', async (t) => {
    const { client, link } = await open(t)
    const expected: string[] = []
    for (let turn = 0; turn < 20; turn++) {
      for (let count = 0; count <= turn; count++) {
        const text = `${turn}.${count} `.repeat(count % 3 === 0 ? 5_000 : 1)
        expected.push(text)
        link.send(textFrame(text))
      }
      await nextTurn()
    }
    assert.deepEqual(textsOf(await client.next(expected.length)), expected)
  })

  for (const [kind, text] of [
    ['small', 'x'.repeat(100)],
    ['large', 'x'.repeat(30_000)],
  ] as const) {
    test(`${kind} frames of one tick are sent in one write per connection`, async (t) => {
      const opened = [await open(t), await open(t), await open(t)]
      await nextTurn()
      const writes = opened.flatMap(({ socket }) => {
        const net = socket as Socket & Required<Pick<Socket, '_writev'>>
        return [t.mock.method(net, '_write'), t.mock.method(net, '_writev')]
      })

      const frame = textFrame(text)
      for (const { link } of opened) link.send(frame)
      for (const { link } of opened) link.send(frame)
      await Promise.resolve()
      for (const { link } of opened) link.send(frame)
      for (const { client } of opened) assert.deepEqual(textsOf(await client.next(3)), [text, text, text])

      const count = writes.reduce((sum, { mock }) => sum + mock.callCount(), 0)
      assert.equal(count, opened.length)
    })
  }

  test('a single frame is written without a copy', async (t) => {
    const { client, link, socket } = await open(t)
    const write = t.mock.method(socket, '_write')
    const frame = textFrame('for many')
    link.send(frame)
    await client.next(1)
    assert.equal(write.mock.calls[0]?.arguments[0], frame)
  })

  test('queuedBytes counts the frames queued in this tick, and is 0 when the peer keeps up', async (t) => {
    const { client, link } = await open(t)
    const frame = textFrame('x'.repeat(100))
    link.send(frame)
    link.send(frame)
    assert.equal(link.queuedBytes, 2 * frame.length)
    await client.next(2)
    assert.equal(link.queuedBytes, 0)
  })
})

describe('a peer that does not read', () => {
  /** Sends until 1 MiB is queued, one frame per tick. */
  async function fill({ client, link }: Awaited<ReturnType<typeof open>>): Promise<string[]> {
    client.socket.pause()
    const sent: string[] = []
    while (link.queuedBytes < 1_048_576) {
      const text = `${sent.length} `.padEnd(1_000 + (sent.length % 7) * 20_000, 'x')
      sent.push(text)
      link.send(textFrame(text))
      await nextTurn()
    }
    return sent
  }

  test('increases queuedBytes, and gets everything in order when it reads again', async (t) => {
    const opened = await open(t)
    const sent = await fill(opened)
    opened.client.socket.resume()
    assert.deepEqual(textsOf(await opened.client.next(sent.length)), sent)
    opened.link.send(textFrame('caught up'))
    assert.deepEqual(textsOf(await opened.client.next(1)), ['caught up'])
    assert.equal(opened.link.queuedBytes, 0)
  })

  test('uses no memory beyond queuedBytes', async (t) => {
    const opened = await open(t)
    await fill(opened)
    const shared = textFrame('small')
    const before = opened.link.queuedBytes
    opened.link.send(shared)
    assert.equal(opened.link.queuedBytes, before + shared.length)
    // It was copied: changing the original has no effect.
    shared.fill(0)
    opened.client.socket.resume()
    let last = ''
    while (last !== 'small') [last = ''] = textsOf(await opened.client.next(1))
  })

  test('gets the queued frames and the close frame if it reads in time', async (t) => {
    const opened = await open(t)
    const sent = await fill(opened)
    opened.link.close(4029, 'slow_consumer')
    opened.link.send(textFrame('too late'))
    opened.client.socket.resume()
    const frames = await opened.client.next(sent.length + 1)
    assert.deepEqual(textsOf(frames.slice(0, -1)), sent)
    assert.deepEqual(closesOf(frames), [[4029, 'slow_consumer']])
    opened.client.send(clientClose(4029))
    await opened.received.untilClosed()
  })

  test('gets everything, too, if it ended its side after our close', async (t) => {
    const opened = await open(t)
    const sent = await fill(opened)
    opened.link.close(1012, 'server_restarting')
    opened.client.socket.end()
    await once(opened.socket, 'end')
    opened.client.socket.resume()
    const frames = await opened.client.next(sent.length + 1)
    assert.deepEqual(closesOf(frames), [[1012, 'server_restarting']])
    await opened.received.untilClosed()
  })

  test('is disconnected if it does not read in time', async (t) => {
    const opened = await open(t)
    await fill(opened)
    opened.link.close(4029, 'slow_consumer')
    await nextTurn()
    mock.timers.tick(2_000)
    await opened.received.untilClosed()
    assert.deepEqual(opened.received.closed, [[4029, 'slow_consumer']])
  })

  test('that half-closes is reported as 1006, even with data queued', async (t) => {
    const opened = await open(t)
    await fill(opened)
    opened.client.socket.end()
    await opened.received.untilClosed()
    assert.deepEqual(opened.received.closed, [[1006, '']])
  })

  test('gets one queued pong for a flood of pings', async (t) => {
    const opened = await open(t)
    await fill(opened)
    const before = opened.link.queuedBytes
    for (let count = 0; count < 1_000; count++)
      opened.client.send(clientFrame({ opcode: 9, payload: String(count) }), clientFrame({ opcode: 10 }))
    await opened.received.until(() => opened.received.pongs === 1_000)
    assert.equal(opened.link.queuedBytes, before)
    opened.client.socket.resume()
    let pong = ''
    while (pong === '')
      for (const { opcode, payload } of await opened.client.next(1)) if (opcode === 10) pong = String(payload)
    assert.equal(pong, '999')
  })
})

describe('pings', () => {
  test('a ping is answered with its payload', async (t) => {
    const { client } = await open(t)
    client.send(clientFrame({ opcode: 9, payload: 'are you there' }))
    const [pong] = await client.next(1)
    assert.deepEqual([pong?.opcode, String(pong?.payload)], [10, 'are you there'])
  })

  test('only the last of many pings in one packet is answered', async (t) => {
    const { client, link } = await open(t)
    client.send(...['1', '2', '3'].map((payload) => clientFrame({ opcode: 9, payload })), clientText('done'))
    link.send(textFrame('other'))
    const frames = await client.next(2)
    assert.deepEqual(textsOf(frames.filter(({ opcode }) => opcode === 10)), ['3'])
  })

  test('nothing is sent after a close frame, not even the pong to an earlier ping', async (t) => {
    const { client, link, received } = await open(t)
    received.on.message = () => link.close(4001, 'unauthorized')
    client.send(clientFrame({ opcode: 9 }), clientText('wrong'), clientClose(4001))
    await client.ended
    assert.deepEqual(
      client.frames.map(({ opcode }) => opcode),
      [10, 8],
    )
  })

  test('our ping is sent, and the pong is reported', async (t) => {
    const { client, link, received } = await open(t)
    link.ping()
    const [ping] = await client.next(1)
    assert.deepEqual([ping?.opcode, ping?.payload.length], [9, 0])
    client.send(clientFrame({ opcode: 10 }))
    await received.until(() => received.pongs === 1)
  })
})
