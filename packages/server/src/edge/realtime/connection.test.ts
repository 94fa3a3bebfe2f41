import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { LIMITS } from '@svc/contract/limits'

import { closesOf, startLinks } from '../../testing/raw-websocket.ts'
import { Connection } from './connection.ts'
import { textFrame } from './websocket/frame.ts'

const FROM = { ref: 'a/1', origin: undefined, localAddress: '127.0.0.1', nowMs: 0, isLimited: true }
const MIB = 1024 * 1024

describe('a client that stops reading', () => {
  let links: Awaited<ReturnType<typeof startLinks>>
  before(async () => void (links = await startLinks()))
  after(() => links.stop())

  for (const messageBytes of [100, 16_384, 65_000])
    test(`[WSK-17] is cut off with slow_consumer before 2 MiB are queued, by messages of ${messageBytes} bytes`, async () => {
      const { client, link, told } = await links.open()
      const connection = new Connection(link, FROM)
      const frame = textFrame('x'.repeat(messageBytes))
      client.socket.pause()
      let queuedBytesMost = 0
      while (link.isOpen) {
        // As many as a flooded room says in a turn.
        for (let i = 0; i < 8 && link.isOpen; i++) connection.send(frame)
        queuedBytesMost = Math.max(queuedBytesMost, link.queuedBytes)
        await nextTurn()
      }

      assert.ok(queuedBytesMost > LIMITS.queuedBytesMax, `cut off at ${queuedBytesMost} bytes`)
      assert.ok(queuedBytesMost < 2 * MIB, `${queuedBytesMost} bytes`)
      await told.untilClosed()
      assert.deepEqual(told.closed, [[4029, 'slow_consumer']])
      client.socket.destroy()
    })

  test('[WSK-17] and reads again in time is told why', async () => {
    const { client, link } = await links.open()
    const connection = new Connection(link, FROM)
    client.socket.pause()
    while (link.isOpen) {
      connection.tell({ t: 'message', data: 'x'.repeat(10_000) })
      await nextTurn()
    }
    client.socket.resume()
    while (closesOf(client.frames).length === 0) await once(client.socket, 'data')
    assert.deepEqual(closesOf(client.frames), [[4029, 'slow_consumer']])
    client.socket.destroy()
  })
})
