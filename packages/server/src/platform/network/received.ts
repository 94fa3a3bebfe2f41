import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Calls `onReceived` after each part that the server sends has been handled, with its bytes: heads, interim answers (1xx), bodies, marks
 * of chunks and trailers. Node limits the size of one head, but not how many come before an answer, nor what is between the bytes of a
 * body. `onReceiving` is called before. Ends with the request; with the connection if the server switches to another protocol.
 */
export function watchReceived(
  request: ClientRequest,
  onReceived: (bytes: number) => void,
  onReceiving: () => void = () => {},
) {
  request.on('socket', (socket: Socket) => {
    const after = (part: Buffer) => onReceived(part.length)
    let isSwitched = false
    // Node's own listener is between them.
    socket.prependListener('data', onReceiving)
    socket.on('data', after)
    request.on('upgrade', () => (isSwitched = true))
    request.on('close', () => {
      if (!isSwitched) socket.off('data', onReceiving).off('data', after)
    })
  })
}
