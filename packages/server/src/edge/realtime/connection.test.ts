import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { LIMITS } from '@svc/contract/common/limits'

import { closesOf, connectionOn, startLinks } from '../../testing/raw-websocket.ts'
import { textFrame } from './websocket/frame.ts'

const MIB = 1024 * 1024

describe('a client that stops reading', () => {
  let links: Awaited<ReturnType<typeof startLinks>>
  before(async () => void (links = await startLinks()))
  after(() => links.stop())

  for (const messageBytes of [100, 16_384, 65_000])
    test(`[WSK-17] is disconnected with slow_consumer before 2 MiB are queued, with messages of ${messageBytes} bytes`, async () => {
      const { client, link, received } = await links.open()
      const connection = connectionOn(link)
      const frame = textFrame('x'.repeat(messageBytes))
      client.socket.pause()
      let queuedBytesMost = 0
      while (link.isOpen) {
        // As many as a flooded room sends in one tick.
        for (let i = 0; i < 8 && link.isOpen; i++) connection.send(frame)
        queuedBytesMost = Math.max(queuedBytesMost, link.queuedBytes)
        await nextTurn()
      }

      assert.ok(queuedBytesMost > LIMITS.sendBufferBytesMax, `disconnected at ${queuedBytesMost} bytes`)
      assert.ok(queuedBytesMost < 2 * MIB, `${queuedBytesMost} bytes`)
      await received.untilClosed()
      assert.deepEqual(received.closed, [[4029, 'slow_consumer']])
      client.socket.destroy()
    })

  /** A connection whose network buffers are full. */
  async function openBehind() {
    const opened = await links.open()
    const connection = connectionOn(opened.link)
    opened.client.socket.pause()
    while (!opened.link.isBackpressured) {
      connection.sendEvent({ t: 'filling', data: 'x'.repeat(10_000) })
      await nextTurn()
    }
    return { ...opened, connection }
  }
  const ROOM = textFrame('r'.repeat(1.13 * MIB))
  const MESSAGE = textFrame('m'.repeat(10_000))

  test('[WSK-17] [ROM-05] gets a full room twice and nearly 1 MiB of messages once it reads again', async () => {
    const { client, link, connection } = await openBehind()
    connection.send(ROOM)
    connection.send(ROOM)
    for (let i = 0; i < 90; i++) connection.send(MESSAGE)
    assert.ok(link.isOpen)

    client.socket.resume()
    const isLast = () => client.frames.filter(({ payload }) => payload[0] === 109).length === 90
    while (!isLast()) await once(client.socket, 'data')
    const rooms = client.frames.filter(({ payload }) => payload[0] === 114)
    assert.deepEqual(
      rooms.map(({ payload }) => payload.length),
      Array(2).fill(Math.trunc(1.13 * MIB)),
    )
    client.socket.destroy()
  })

  test('[WSK-17] is disconnected when more than 1 MiB of messages are queued behind the room', async () => {
    const { client, link, connection } = await openBehind()
    connection.send(ROOM)
    for (let i = 0; i < 110; i++) connection.send(MESSAGE)
    assert.ok(!link.isOpen)
    client.socket.destroy()
  })

  test('[WSK-17] is disconnected as soon as the rooms it joined exceed 4 MiB', async () => {
    const { client, link, connection } = await openBehind()
    let queuedBytesMost = 0
    for (; link.isOpen; queuedBytesMost = Math.max(queuedBytesMost, link.queuedBytes)) connection.send(ROOM)
    assert.ok(queuedBytesMost > 4 * MIB && queuedBytesMost < 5.5 * MIB, `${queuedBytesMost} bytes`)
    client.socket.destroy()
  })

  test('[WSK-17] has the limit of 1 MiB again once it has read everything', async () => {
    const { client, link, connection } = await openBehind()
    connection.send(ROOM)
    client.socket.resume()
    while (link.queuedBytes > 0) await nextTurn()
    client.socket.pause()
    let queuedBytesMost = 0
    while (link.isOpen) {
      connection.send(MESSAGE)
      queuedBytesMost = Math.max(queuedBytesMost, link.queuedBytes)
      await nextTurn()
    }
    assert.ok(queuedBytesMost < 1.1 * MIB, `${queuedBytesMost} bytes`)
    client.socket.destroy()
  })

  test('[WSK-17] that resumes reading receives close code 4029 slow_consumer', async () => {
    const { client, link } = await links.open()
    const connection = connectionOn(link)
    client.socket.pause()
    while (link.isOpen) {
      connection.sendEvent({ t: 'message', data: 'x'.repeat(10_000) })
      await nextTurn()
    }
    client.socket.resume()
    while (closesOf(client.frames).length === 0) await once(client.socket, 'data')
    assert.deepEqual(closesOf(client.frames), [[4029, 'slow_consumer']])
    client.socket.destroy()
  })
})
