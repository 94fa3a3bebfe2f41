import { connect } from 'node:net'

import { FrameReader, MESSAGE_BYTES_MAX, pingFrame, textFrame } from './frames.ts'

/** Two of the largest batches: a process that has not read as much does not read at all. */
const WAITING_BYTES_MAX = 2 * MESSAGE_BYTES_MAX
const RESPONSE_HEAD_BYTES_MAX = 16 * 1024
const OPEN_TIMEOUT_MS = 10_000

const REQUEST = [
  'GET / HTTP/1.1',
  'Host: rooms',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  '\r\n',
].join('\r\n')

type StreamEvents = {
  /** At most 8 MiB, valid UTF-8. */
  onText(bytes: Buffer): void
  /** The process has answered a ping: its event loop turns. */
  onPong(): void
  /** Called once. Without a reason the stream has closed, as it does when the process ends. */
  onEnd(broken?: string): void
}

export type RoomStream = {
  /** Throws if the text has more than 8 MiB: nothing was sent then. */
  send(text: string): void
  ping(): void
  close(): void
}

/** Opens the WebSocket between the service and a process of rooms. Throws if the process does not answer as it must. */
export function openRoomStream(
  path: string,
  events: StreamEvents,
  openTimeoutMs = OPEN_TIMEOUT_MS,
): Promise<RoomStream> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    let isOpen = false
    let isEnded = false
    let head = Buffer.alloc(0)

    function end(broken?: string) {
      if (isEnded) return
      isEnded = true
      clearTimeout(timer)
      reader.stop()
      socket.destroy()
      if (isOpen) events.onEnd(broken)
      else reject(new Error('the process of rooms did not open its stream'))
    }

    const reader = new FrameReader({
      onText: events.onText,
      onPong: events.onPong,
      onBroken: () => end('it sent something else than whole messages of text'),
    })
    const timer = setTimeout(() => end(), openTimeoutMs)

    function readHead(chunk: Buffer) {
      head = Buffer.concat([head, chunk])
      const headEnd = head.indexOf('\r\n\r\n')
      if (headEnd === -1 && head.length <= RESPONSE_HEAD_BYTES_MAX) return
      if (headEnd === -1 || !head.toString('latin1', 0, 13).startsWith('HTTP/1.1 101 ')) return end()
      const rest = head.subarray(headEnd + 4)
      head = Buffer.alloc(0)
      isOpen = true
      clearTimeout(timer)
      resolve({ send, ping: () => write(pingFrame), close: () => end() })
      // Nothing comes before the first batch, so the owner of the stream has it by then.
      reader.read(rest)
    }

    function send(text: string) {
      const frame = textFrame(text)
      if (frame.length > MESSAGE_BYTES_MAX + 14) throw new RangeError('A batch has at most 8 MiB.')
      write(frame)
    }

    function write(frame: Buffer) {
      if (isEnded) return
      if (socket.writableLength > WAITING_BYTES_MAX) end('it did not read what it was sent')
      else socket.write(frame)
    }

    socket.on('data', (chunk: Buffer) => (isOpen ? reader.read(chunk) : readHead(chunk)))
    socket.on('error', () => end())
    socket.on('end', () => end())
    socket.on('close', () => end())
    socket.write(REQUEST)
  })
}
