import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'

import { ipBytes, readXorAddress, writeXorAddress } from './addresses.ts'
import { ATTRIBUTE, composeMessage, hasValidIntegrity, parseMessage, valueOf } from './stun.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

/** The test vectors of RFC 5769. */
const ID = '2112a442 b7e7a701 bc34d686 fa87dfae'
const REQUEST = hex(`00010058 ${ID} 80220010 5354554e 20746573 7420636c 69656e74 00240004 6e0001ff
  80290008 932ff9b1 51263b36 00060009 6576746a 3a683676 59202020
  00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249 c1b571a2 80280004 e57a3bcf`)
const IPV4_RESPONSE = hex(`0101003c ${ID} 8022000b 74657374 20766563 746f7220 00200008 0001a147 e112a643
  00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7 80280004 c07d4c96`)
const IPV6_RESPONSE = hex(`01010048 ${ID} 8022000b 74657374 20766563 746f7220
  00200014 0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9
  00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41 80280004 c8fb0b4c`)
const LONG_TERM_REQUEST = hex(`00010060 2112a442 78ad3433 c6ad72c0 29da412e
  00060012 e3839ee3 8388e383 aae38383 e382afe3 82b90000
  0015001c 662f2f34 39396b39 35346436 4f4c3334 6f4c3946 53547679 36347341 0014000b 6578616d 706c652e 6f726700
  00080014 f6702465 6dd64a3e 02b8e071 2e85c9a2 8ca89666`)

const PASSWORD = Buffer.from('VOkJxbRl1RmTxUk/WvJxBt')
const MATRIX = hash('md5', 'マトリックス:example.org:TheMatrIX', 'buffer')

describe('messages of STUN', () => {
  for (const [name, bytes, key] of [
    ['request', REQUEST, PASSWORD],
    ['response with an IPv4 address', IPV4_RESPONSE, PASSWORD],
    ['response with an IPv6 address', IPV6_RESPONSE, PASSWORD],
    ['request with long-term credentials', LONG_TERM_REQUEST, MATRIX],
  ] as const) {
    test(`a ${name} of RFC 5769 is read, and its integrity is valid only with its key`, () => {
      const message = parseMessage(bytes)
      assert.ok(message?.sealed)
      assert.ok(hasValidIntegrity(key, message.sealed))
      assert.ok(!hasValidIntegrity(Buffer.from('another key'), message.sealed))
      assert.equal(message.hasFingerprint, bytes !== LONG_TERM_REQUEST)
    })

    test(`a ${name} of RFC 5769 with any one bit changed is rejected, or its integrity is invalid`, () => {
      const fingerprintBytes = bytes === LONG_TERM_REQUEST ? 0 : 8
      for (let bit = 0; bit < (bytes.length - fingerprintBytes) * 8; bit++) {
        const changed = Buffer.from(bytes)
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const message = parseMessage(changed)
        assert.ok(!message?.sealed || !hasValidIntegrity(key, message.sealed), `bit ${bit}`)
      }
    })
  }

  test('a request of RFC 5769 is written to the byte', () => {
    const { type, id, attributes } = parseMessage(LONG_TERM_REQUEST) ?? assert.fail()
    assert.deepEqual(composeMessage(type, id, attributes.slice(0, -1), { key: MATRIX }), LONG_TERM_REQUEST)
  })

  test('addresses are XORed as in RFC 5769', () => {
    const addresses = [
      [IPV4_RESPONSE, '192.0.2.1'],
      [IPV6_RESPONSE, '2001:db8:1234:5678:11:2233:4455:6677'],
    ] as const
    for (const [bytes, ip] of addresses) {
      const message = parseMessage(bytes) ?? assert.fail()
      const value = valueOf(message, ATTRIBUTE.xorMappedAddress) ?? assert.fail()
      assert.deepEqual(readXorAddress(value, message.id), { ip: ipBytes(ip), port: 32_853 })
      assert.deepEqual(writeXorAddress({ ip: ipBytes(ip), port: 32_853 }, message.id), value)
    }
  })

  test('an IPv6 address becomes 16 bytes in every spelling', () => {
    const bytesOf = (ip: string) => ipBytes(ip).toString('hex')
    assert.equal(bytesOf('::1'), '00000000000000000000000000000001')
    assert.equal(bytesOf('2001:db8::'), '20010db8000000000000000000000000')
    assert.equal(bytesOf('fe80::1:2%eth0'), 'fe800000000000000000000000010002')
    assert.equal(bytesOf('1:2:3:4:5:6:7:8'), '00010002000300040005000600070008')
  })

  test('attributes after MESSAGE-INTEGRITY are ignored', () => {
    const { id } = parseMessage(REQUEST) ?? assert.fail()
    const sealed = composeMessage(0x0003, id, [[ATTRIBUTE.username, Buffer.from('ada!')]], { key: PASSWORD })
    const smuggled = composeMessage(0x0003, id, [[ATTRIBUTE.lifetime, Buffer.alloc(4)]]).subarray(20)
    const bytes = Buffer.concat([sealed, smuggled])
    bytes.writeUInt16BE(bytes.length - 20, 2)

    const message = parseMessage(bytes)
    assert.ok(message?.sealed && hasValidIntegrity(PASSWORD, message.sealed))
    assert.equal(valueOf(message, ATTRIBUTE.lifetime), undefined)
  })
})
