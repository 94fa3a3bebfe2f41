import type { Server } from 'node:http'
import type { Socket } from 'node:net'

import { MINUTE_MS, monotonicMs } from '../../../platform/clock.ts'

type Deps = {
  /** How many file descriptors the process may have open; undefined if that is not known. */
  filesMax: number | undefined
  warn(line: string): void
}

/** For the database, files and other processes. */
const FREE_MAX = 256
const FREE_SHARE = 0.1
const WARN_EVERY_MS = MINUTE_MS

/**
 * Closes new connections while nearly all file descriptors are in use. Without this, connections would take the last ones: nothing else could
 * open a file, and the operator would not learn why clients are refused, because Node does not report it.
 */
export function keepFilesFree(server: Server, { filesMax, warn }: Deps): void {
  if (filesMax === undefined) return
  const connectionsBelow = filesMax - Math.min(FREE_MAX, Math.ceil(filesMax * FREE_SHARE))
  let warnedAt = -Infinity

  server.on('connection', (socket: Socket) => {
    if (descriptorOf(socket) < connectionsBelow) return
    socket.destroy()
    if (monotonicMs() - warnedAt < WARN_EVERY_MS) return
    warnedAt = monotonicMs()
    warn(
      `New connections are closed, because nearly all of the ${filesMax} file descriptors of this process are in use. ` +
        'Raise the limit (LimitNOFILE of systemd, ulimits of Docker, ulimit -n), or start another node.',
    )
  })
}

/**
 * A system gives out the lowest free number, so this one is at most the number of open descriptors: there is nothing to count. Not documented by
 * Node; without it no connection is closed here.
 */
const descriptorOf = (socket: Socket & { _handle?: { fd?: number } | null }): number =>
  socket._handle?.fd ?? -1
