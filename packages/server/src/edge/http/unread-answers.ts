import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * A connection whose client reads nothing of its answer for so long is closed. Node would do it by a timer for each connection,
 * moved by each request, which costs a small one the twentieth part of it; so only those get one that are seen with something unread.
 */
export function closeUnread(server: Server, silenceMaxMs: number) {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })

  const looking = setInterval(() => {
    for (const socket of open)
      // Node takes it away again with the end of the answer.
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(silenceMaxMs)
  }, silenceMaxMs / 4).unref()
  server.once('close', () => clearInterval(looking))
}
