import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { pngWith } from '../../testing/png.ts'
import { BACKGROUND_BYTES_MAX, backgroundProblem, imageSize } from './image-header.ts'

const png = (width: number, height: number) => pngWith(width, height, Buffer.alloc(20))

/** The segments of a JPEG up to its frame header, with a comment before it. */
function jpeg(width: number, height: number, frame = 0xc0): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16BE(height)
  size.writeUInt16BE(width, 2)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 4, 1, 2, 0xff, 0xff, frame, 0, 17, 8]),
    size,
    Buffer.alloc(20),
  ])
}

describe('backgrounds of cards', () => {
  test('[SHR-09] the size of a PNG or JPEG is read from its header', () => {
    assert.deepEqual(imageSize(png(640, 480)), { width: 640, height: 480 })
    assert.deepEqual(imageSize(jpeg(640, 480)), { width: 640, height: 480 })
    assert.deepEqual(imageSize(jpeg(640, 480, 0xc2)), { width: 640, height: 480 })
    assert.deepEqual(imageSize(Buffer.concat([Buffer.alloc(3), png(9, 9)]).subarray(3)), {
      width: 9,
      height: 9,
    })
  })

  test('[SHR-09] other files have no size', () => {
    for (const text of ['', 'GIF89a', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'RIFF____WEBPVP8 ']) {
      assert.equal(imageSize(Buffer.from(text)), undefined)
      assert.match(backgroundProblem(Buffer.from(text)) ?? '', /neither a PNG nor a JPEG/)
    }
  })

  test('[SHR-09] a background has at most 4096x4096 pixels', () => {
    for (const picture of [png, jpeg]) {
      assert.equal(backgroundProblem(picture(4_096, 4_096)), undefined)
      assert.match(backgroundProblem(picture(4_097, 10)) ?? '', /^is 4097x10/)
      assert.match(backgroundProblem(picture(10, 4_097)) ?? '', /^is 10x4097/)
      assert.match(backgroundProblem(picture(0, 10)) ?? '', /no pixels/)
    }
    assert.match(backgroundProblem(png(4_294_967_295, 4_294_967_295)) ?? '', /4294967295x4294967295/)
  })

  test('[SHR-09] a background has at most 2 MB', () => {
    const largest = Buffer.alloc(BACKGROUND_BYTES_MAX)
    png(10, 10).copy(largest)
    assert.equal(backgroundProblem(largest), undefined)
    assert.match(backgroundProblem(Buffer.concat([largest, Buffer.alloc(1)])) ?? '', /larger than 2 MB/)
  })

  test('[SHR-09] a header that is truncated or never ends is not a picture', () => {
    for (const picture of [png(640, 480), jpeg(640, 480)]) {
      for (let length = 0; length < 18; length++)
        assert.equal(imageSize(picture.subarray(0, length)), undefined)
    }
    assert.equal(
      imageSize(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(100_000, 0xff)])),
      undefined,
    )
    const empty = Buffer.from([0xff, 0xe0, 0, 2])
    assert.equal(
      imageSize(Buffer.concat([Buffer.from([0xff, 0xd8]), ...Array(10_000).fill(empty)])),
      undefined,
    )
    assert.equal(imageSize(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0])), undefined)
  })
})
