import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { createStoppedClock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { createTimers } from '../../platform/time/timers.ts'
import {
  clientClose,
  closesOf,
  clientFrame,
  clientText,
  connectionOn,
  type RawClient,
  type ServerFrame,
  startLinks,
  textsOf,
} from '../../testing/raw-websocket.ts'
import { simulateNetwork } from './simulated-network.ts'

const GOOD = { latencyMs: 0, lossPercent: 0, paused: false }

/** Every third value is as small as can be: the frame is lost. */
function everyThirdLost(): Random {
  let count = 0
  return { bytes: (length) => Buffer.alloc(length, ++count % 3 === 0 ? 0 : 0xff) }
}

describe('a simulated network', () => {
  let links: Awaited<ReturnType<typeof startLinks>>
  before(async () => void (links = await startLinks()))
  const clients: RawClient[] = []
  after(() => {
    for (const { socket } of clients) socket.destroy()
    return links.stop()
  })
  let asked = 0

  async function open(conditions: Partial<typeof GOOD>, random = everyThirdLost()) {
    const clock = createStoppedClock()
    const timers = createTimers(clock)
    const opened = await links.open()
    clients.push(opened.client)
    const connection = connectionOn(opened.link)
    const { on } = opened.link
    const nowMs = () => clock.now().getTime()
    const network = simulateNetwork(connection, { ...GOOD, ...conditions }, { timers, nowMs, random })
    /** What the client has received so far: a pong is not delayed, and comes after it. */
    const texts = async () => {
      const payload = `all ${++asked}`
      opened.client.send(clientFrame({ opcode: 9, payload }))
      const frames: ServerFrame[] = []
      for (;;) {
        const [frame] = await opened.client.next(1)
        if (frame?.opcode === 10 && frame.payload.toString() === payload) return textsOf(frames)
        if (frame && frame.opcode !== 10) frames.push(frame)
      }
    }
    /** The service has read everything that the client sent: a ping is handled at once. */
    const serverHasAll = async () => {
      const { controls } = opened.received
      opened.client.send(clientFrame({ opcode: 9, payload: 'x' }))
      await opened.received.until(() => opened.received.controls > controls)
    }
    return { ...opened, connection, network, clock, on, texts, serverHasAll }
  }

  test('[RWC-76] half of the latency is added in each direction', async () => {
    const { connection, client, received, clock, texts, serverHasAll } = await open({ latencyMs: 200 })
    connection.sendText('down')
    client.send(clientText('up'))
    await serverHasAll()
    clock.advance(99)
    assert.deepEqual([await texts(), received.messages], [[], []])
    clock.advance(1)
    assert.deepEqual([await texts(), received.messages], [['down'], ['up']])
  })

  for (const [latencyMs, laterMs] of [
    [100, 200],
    [500, 1_000],
  ] as const)
    test(`[RWC-76] at ${latencyMs} ms a lost frame and all behind it arrive ${laterMs} ms later, in order`, async () => {
      const { connection, clock, texts } = await open({ latencyMs, lossPercent: 10 })
      for (const text of ['1', '2', '3 is lost', '4']) connection.sendText(text)
      clock.advance(latencyMs / 2)
      assert.deepEqual(await texts(), ['1', '2'])
      clock.advance(laterMs - 1)
      connection.sendText('5')
      assert.deepEqual(await texts(), [])
      clock.advance(1)
      assert.deepEqual(await texts(), ['3 is lost', '4'])
      clock.advance(latencyMs / 2)
      assert.deepEqual(await texts(), ['5'])
    })

  test('[RWC-76] frames of the client are lost in the same way, and nothing is lost at 0 %', async () => {
    const lossy = await open({ lossPercent: 50 })
    for (const text of ['1', '2', '3', '4']) lossy.client.send(clientText(text))
    await lossy.serverHasAll()
    lossy.clock.advance(0)
    assert.deepEqual(lossy.received.messages, ['1', '2'])
    lossy.clock.advance(200)
    assert.deepEqual(lossy.received.messages, ['1', '2', '3', '4'])
    const slow = await open({ latencyMs: 2 }, { bytes: (length) => Buffer.alloc(length) })
    slow.connection.sendText('arrives')
    slow.clock.advance(1)
    assert.deepEqual(await slow.texts(), ['arrives'])
  })

  test('[RWC-76] nothing arrives while it is paused, everything in order afterwards', async () => {
    const { connection, client, received, network, clock, texts, serverHasAll } = await open({ paused: true })
    connection.sendText('1')
    client.send(clientText('up'), clientFrame({ opcode: 10 }), clientFrame({ opcode: 2, payload: 'b' }))
    await serverHasAll()
    clock.advance(10_000)
    assert.deepEqual([await texts(), received.messages, received.pongs], [[], [], 0])
    connection.sendText('2')
    network.change({ ...GOOD, latencyMs: 10 })
    connection.sendText('3')
    clock.advance(0)
    assert.deepEqual(await texts(), ['1', '2'])
    assert.deepEqual([received.messages, received.pongs, received.binaries], [['up'], 1, 1])
    clock.advance(5)
    assert.deepEqual(await texts(), ['3'])
  })

  test('[RWC-76] more than 1 MiB that waits closes the connection', async () => {
    const down = await open({ paused: true })
    const text = 'x'.repeat(50_000)
    let sent = 0
    for (; down.link.isOpen; sent += text.length) down.connection.sendText(text)
    assert.ok(
      sent > LIMITS.simulatedWaitingBytesMax - text.length &&
        sent < LIMITS.simulatedWaitingBytesMax + text.length,
    )
    down.client.socket.destroy()
    await down.received.untilClosed()
    assert.deepEqual(down.received.closed, [[4029, 'slow_consumer']])

    const up = await open({ paused: true })
    // Frames without data need memory, too.
    const frames = Buffer.concat(Array.from({ length: 9_000 }, () => clientText('')))
    up.client.send(frames)
    await up.client.next(1)
    up.client.socket.destroy()
    await up.received.untilClosed()
    assert.deepEqual([up.received.closed, up.received.messages], [[[4029, 'slow_consumer']], []])
  })

  test('[RWC-76] a close delivers what was sent before it, and then the close', async () => {
    const { connection, client, received } = await open({ latencyMs: 2_000 })
    client.send(clientText('too late'))
    connection.sendText('last words')
    connection.close(4003, 'player_banned')
    const frames = await client.next(2)
    assert.deepEqual(textsOf(frames.slice(0, 1)), ['last words'])
    assert.deepEqual(closesOf(frames), [[4003, 'player_banned']])
    client.send(clientClose(4003))
    await received.untilClosed()
    assert.deepEqual([received.messages, received.closed], [[], [[4003, 'player_banned']]])
  })

  test('[RWC-76] what a client sent before it closed is handled first, unless it is paused', async () => {
    for (const paused of [false, true]) {
      const { client, received } = await open({ latencyMs: 2_000, paused })
      client.send(clientText('bye'), clientClose(1000))
      await received.untilClosed()
      assert.deepEqual(received.messages, paused ? [] : ['bye'])
      assert.deepEqual(received.closed, [[1000, '']])
    }
  })

  test('[RWC-76] afterwards the connection is as before', async () => {
    const { connection, client, link, on, network, received, texts, serverHasAll } = await open({
      latencyMs: 2_000,
    })
    assert.notEqual(link.on, on)
    connection.sendText('1')
    client.send(clientText('up'))
    await serverHasAll()
    network.end()
    connection.sendText('2')
    assert.deepEqual([await texts(), received.messages], [['1', '2'], ['up']])
    assert.equal(link.on, on)
    assert.deepEqual(Object.keys(link), ['on'])
    network.end()
  })
})
