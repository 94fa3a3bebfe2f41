import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { runs } from '../../../testing/runs.ts'
import { PublisherLimit } from './publisher-limit.ts'
import { composePacket, parsePacket } from './rtp.ts'

const HEADER = { payloadType: 111, marker: true, sequence: 65_535, timestamp: 4_294_967_295, source: 7 }
const payload = Buffer.from('sound')

test('[VOI-08] a forwarded packet has a plain header and the same payload', () => {
  const bytes = composePacket(HEADER, payload)
  assert.equal(bytes.length, 12 + payload.length)
  const { levelDb, ...packet } = parsePacket(bytes, 1) ?? assert.fail()
  assert.equal(levelDb, 40, 'unknown')
  assert.deepEqual(packet, {
    payloadType: 111,
    marker: true,
    sequence: 65_535,
    timestamp: 4_294_967_295,
    payload,
  })
})

test('[VOI-08] the level of a packet is read, extensions and padding are removed', () => {
  const header = composePacket(HEADER, Buffer.alloc(0))
  header[0] = 0x80 | 0x10 | 0x20 | 1
  const contributor = Buffer.alloc(4)
  const extension = Buffer.from([0xbe, 0xde, 0, 2, 0, 0x21, 9, 9, 0x10, 0x80 | 33, 0, 0])
  const bytes = Buffer.concat([header, contributor, extension, payload, Buffer.from([0, 0, 3])])
  assert.equal(parsePacket(bytes, 1)?.levelDb, 33)
  assert.equal(parsePacket(bytes, 5)?.levelDb, 40)
  assert.equal(parsePacket(bytes, 0)?.levelDb, 40)
  assert.deepEqual(parsePacket(bytes, 1)?.payload, payload)
})

test('[VOI-08] no bytes make the parser fail, and a payload is always within the packet', () => {
  const bytes = fc.uint8Array({ maxLength: 80 }).map((array) => Buffer.from(array))
  fc.assert(
    fc.property(bytes, fc.integer({ min: 0, max: 15 }), fc.boolean(), (packet, levelId, isVersion2) => {
      if (isVersion2 && packet.length > 0) packet[0] = 0x80 | ((packet[0] ?? 0) & 0x3f)
      const parsed = parsePacket(packet, levelId)
      if (!parsed) return
      assert.ok(parsed.payload.length > 0 && parsed.payload.length <= packet.length - 12)
      assert.ok(parsed.levelDb >= 0 && parsed.levelDb <= 127)
    }),
    { numRuns: runs(2_000, 200_000) },
  )
})

test('[VOI-08] a member may send 80 packets and 64 kbit a second', () => {
  const limit = new PublisherLimit()
  const admitted = (bytes: number, nowMs: number) => limit.admits(bytes, nowMs)
  const inOneMoment = Array.from({ length: 100 }, () => admitted(60, 10_000)).filter(Boolean).length
  assert.equal(inOneMoment, 80)
  assert.equal(admitted(60, 10_012), false)
  assert.equal(admitted(60, 10_025), true)
  assert.equal(admitted(8_001, 20_000), false)
  assert.equal(admitted(8_000, 20_000), true)
  assert.equal(admitted(1, 20_000), false)
})
