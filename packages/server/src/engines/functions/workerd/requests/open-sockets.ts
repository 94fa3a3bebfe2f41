import type { Duplex } from 'node:stream'

import type { UpgradeRequest } from '../../../../platform/ports/functions-engine.ts'
import type { SubRequestCounter } from '../network/sub-requests.ts'

/** The open WebSockets of a process. */
export function createOpenSockets(subRequests: SubRequestCounter) {
  /** The side of the client, with that of the process. */
  const sockets = new Map<Duplex, Duplex>()
  let hasTraffic = false

  return {
    isEmpty: () => sockets.size === 0,

    /** Until `socket` closes. Returns a function that is called with each part of its bytes. */
    add({ requestId, headers }: UpgradeRequest, socket: Duplex, upstream: Duplex): () => void {
      sockets.set(socket, upstream)
      const endSession = subRequests.beginSession(requestId, headers['cdn-loop'])
      socket.on('close', () => {
        sockets.delete(socket)
        endSession()
      })
      return () => (hasTraffic = true)
    },

    /** Whether there are any, and bytes have passed since the last call. */
    takeTraffic(): 'none' | 'silent' | 'passing' {
      const traffic = hasTraffic ? 'passing' : sockets.size > 0 ? 'silent' : 'none'
      hasTraffic = false
      return traffic
    },

    /** While it is true, no message is sent to the process. */
    hold(isHeld: boolean) {
      for (const upstream of sockets.values())
        if (isHeld) upstream.cork()
        else upstream.uncork()
    },

    close() {
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}
