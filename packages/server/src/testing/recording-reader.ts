import { type FrameEvents, FrameReader } from '../edge/realtime/websocket/reader.ts'

export type Seen = (string | number)[]

const remember: FrameEvents<Seen[]> = {
  text: (seen, payload) => seen.push(['text', payload.toString()]),
  binary: (seen) => seen.push(['binary']),
  ping: (seen, payload) => seen.push(['ping', payload.toString('latin1')]),
  pong: (seen) => seen.push(['pong']),
  fragment: () => {},
  close: (seen, code, reason) => seen.push(['close', code, reason]),
  fail: (seen, code) => seen.push(['fail', code]),
}

/** A reader, and all its events in order. */
export function recordingReader(payloadBytesMax: number) {
  const seen: Seen[] = []
  return { reader: new FrameReader(remember, seen, payloadBytesMax), seen }
}
