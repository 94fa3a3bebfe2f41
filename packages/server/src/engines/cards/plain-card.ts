import { crc32, deflateSync } from 'node:zlib'

import { CARD_SIZE } from './cards.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** The default background of `share.images.theme`. */
const COLOR = [0x0f, 0x11, 0x15]

let png: Buffer | undefined

/** The PNG for a card that cannot be drawn: one color, about 100 bytes, created at the first use. */
export function plainCard(): Uint8Array {
  png ??= onePaletteColor()
  return png
}

/** One bit per pixel: every pixel is the first color of the palette. */
function onePaletteColor(): Buffer {
  const { width, height } = CARD_SIZE
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([1, 3], 8)
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(COLOR)),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
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
