import { crc32, deflateSync, inflateSync } from 'node:zlib'

type Picture = { width: number; height: number; channels: number; pixels: Buffer }

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** RGB, palette, RGBA. */
const CHANNELS = new Map([
  [2, 3],
  [3, 1],
  [6, 4],
])

/** A PNG whose pixels are computed: red, green and blue for each position. */
export function pngOf(
  width: number,
  height: number,
  colorAt: (x: number, y: number) => readonly [number, number, number],
): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(colorAt(x, y), y * (1 + width * 3) + 1 + x * 3)
  }
  return pngWith(width, height, deflateSync(rows, { level: 1 }))
}

/** A PNG of 4096x4096, the largest background: about 270 ms of CPU time to draw. */
export function hugePng(): Buffer {
  const side = 4_096
  const rows = Buffer.alloc(side * (1 + side * 3))
  for (let at = 0; at < rows.length; at += 64) rows[at] = at % (1 + side * 3) ? at >> 6 : 0
  return pngWith(side, side, deflateSync(rows, { level: 1 }))
}

/** A PNG with this header and this compressed data, which need not match. */
export function pngWith(width: number, height: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** The pixels of a PNG with 8 bits per channel or a palette of up to 256 colors, which is what cards are. */
export function readPng(png: Uint8Array): Picture {
  const bytes = Buffer.from(png)
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) throw new Error('this is not a PNG')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at))
    chunks.set(type, Buffer.concat([chunks.get(type) ?? Buffer.alloc(0), data]))
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const channels = CHANNELS.get(bytes[25] ?? 0)
  if (bytes[24] !== 8 || channels === undefined) throw new Error('only PNGs with 8 bits can be read')

  const data = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))
  const pixels = unfiltered(data, width * channels, channels)
  const palette = chunks.get('PLTE')
  if (channels !== 1 || !palette) return { width, height, channels, pixels }
  const colored = Buffer.alloc(pixels.length * 3)
  for (let at = 0; at < colored.length; at++) {
    const color = pixels[Math.floor(at / 3)] ?? 0
    colored[at] = palette[color * 3 + (at % 3)] ?? 0
  }
  return { width, height, channels: 3, pixels: colored }
}

/** The largest difference between two pictures of one size, in one channel of one pixel. Equal files are not read. */
export function largestDifference(one: Uint8Array, other: Uint8Array): number {
  if (Buffer.compare(one, other) === 0) return 0
  const [first, second] = [readPng(one), readPng(other)]
  if (first.pixels.length !== second.pixels.length) throw new Error('the pictures differ in size')
  let largest = 0
  for (let at = 0; at < first.pixels.length; at++) {
    largest = Math.max(largest, Math.abs((first.pixels[at] ?? 0) - (second.pixels[at] ?? 0)))
  }
  return largest
}

/** Undoes the filter of each row, which stores differences to the pixels on the left and above. */
function unfiltered(rows: Buffer, rowBytes: number, channels: number): Buffer {
  const height = rows.length / (rowBytes + 1)
  const pixels = Buffer.alloc(height * rowBytes)
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (rowBytes + 1)] ?? 0
    for (let x = 0; x < rowBytes; x++) {
      const at = y * rowBytes + x
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0)
      const above = y === 0 ? 0 : (pixels[at - rowBytes] ?? 0)
      const corner = y === 0 || x < channels ? 0 : (pixels[at - rowBytes - channels] ?? 0)
      pixels[at] = (rows[y * (rowBytes + 1) + 1 + x] ?? 0) + predicted(filter, left, above, corner)
    }
  }
  return pixels
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  const estimate = left + above - corner
  const toLeft = Math.abs(estimate - left)
  const toAbove = Math.abs(estimate - above)
  const toCorner = Math.abs(estimate - corner)
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}
