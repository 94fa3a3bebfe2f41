/** Limits of `share.images.background`. A larger picture would take the drawing process up to a second. */
export const BACKGROUND_BYTES_MAX = 2 * 1024 * 1024
export const BACKGROUND_SIDE_MAX = 4_096

type Size = { width: number; height: number }

/** The problem of a background, if any: only its size and header are read. */
export function backgroundProblem(bytes: Uint8Array): string | undefined {
  if (bytes.length > BACKGROUND_BYTES_MAX) return 'is larger than 2 MB'
  const size = imageSize(bytes)
  if (!size) return 'is neither a PNG nor a JPEG'
  if (size.width === 0 || size.height === 0) return 'has no pixels'
  if (size.width > BACKGROUND_SIDE_MAX || size.height > BACKGROUND_SIDE_MAX) {
    return `is ${size.width}x${size.height}, and at most ${BACKGROUND_SIDE_MAX}x${BACKGROUND_SIDE_MAX} can be drawn`
  }
  return undefined
}

/** Width and height in the header of a PNG or JPEG; undefined for anything else. */
export function imageSize(bytes: Uint8Array): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return pngSize(view) ?? jpegSize(view)
}

const PNG_SIGNATURE = 0x89504e470d0a1a0an
const IHDR = 0x49484452

function pngSize(view: DataView): Size | undefined {
  if (view.byteLength < 33 || view.getBigUint64(0) !== PNG_SIGNATURE) return undefined
  if (view.getUint32(8) !== 13 || view.getUint32(12) !== IHDR) return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** Reads the segments up to the frame header, which contains the size. Each step moves forward, so the loop ends. */
function jpegSize(view: DataView): Size | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined
  let at = 2
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (isFrameHeader(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    else if (hasNoLength(marker)) at += 2
    else {
      const length = view.getUint16(at + 2)
      if (length < 2 || marker === START_OF_SCAN) return undefined
      at += 2 + length
    }
  }
  return undefined
}

const START_OF_SCAN = 0xda
/** SOF0 to SOF15, without the tables DHT (C4), JPG (C8) and DAC (CC). */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
const hasNoLength = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
