import assert from 'node:assert/strict'
import { test } from 'node:test'

import { systemRandom } from '../../../platform/random.ts'
import { seal, unseal } from './seal.ts'

const PIECE_BYTES = 64 * 1024
const BOX_BYTES = PIECE_BYTES + 16
const key = systemRandom.bytes(32)
const keys = { current: systemRandom.bytes(32), previous: [key] }

async function* chunks(bytes: Buffer, size = 10_000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const joined = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(stream))
const sealed = (bytes: Buffer) => joined(seal(chunks(bytes), key, systemRandom))
const opened = (bytes: Buffer) => joined(unseal(chunks(bytes, 70_001), keys))

test('[OPS-16] what is sealed opens to the same bytes, whatever its length', async () => {
  for (const length of [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES]) {
    const bytes = systemRandom.bytes(length)
    const box = await sealed(bytes)
    assert.deepEqual(await opened(box), bytes, `${length} bytes`)
    if (length > 100) assert.equal(box.includes(bytes.subarray(0, 100)), false)
  }
})

test('[OPS-16] sealed pieces that are changed, exchanged, removed, cut off or added are found', async () => {
  const bytes = systemRandom.bytes(3 * PIECE_BYTES + 100)
  const box = await sealed(bytes)
  const header = box.length - (3 * BOX_BYTES + 116)
  const at = (piece: number) => header + piece * BOX_BYTES
  const piece = (number: number) => box.subarray(at(number), at(number + 1))
  const of = (...parts: Buffer[]) => Buffer.concat([box.subarray(0, header), ...parts])
  const changed = (place: number) => {
    const copy = Buffer.from(box)
    copy[place] = (copy[place] ?? 0) ^ 1
    return copy
  }
  const broken = {
    'a bit of a piece': changed(at(1) + 5),
    'a bit of a tag': changed(at(1) - 1),
    'a bit of the salt': changed(header - 1),
    'two exchanged': of(piece(1), piece(0), piece(2), piece(3)),
    'the first removed': of(piece(1), piece(2), piece(3)),
    'the last removed': of(piece(0), piece(1), piece(2)),
    'all removed': of(),
    'one byte cut off': box.subarray(0, -1),
    'one byte added': Buffer.concat([box, Buffer.from('x')]),
    'a piece of another backup': of(
      piece(0),
      (await sealed(bytes)).subarray(at(1), at(2)),
      piece(2),
      piece(3),
    ),
  }
  for (const [name, content] of Object.entries(broken)) await assert.rejects(opened(content), /damaged/, name)
})
