import type { BanWarningDetails } from '@svc/contract/realtime'

import { SvcError, type SvcErrorCode } from './errors.ts'
import type { AnyFrame, Welcome } from './frames.ts'
import type { WebSocketConstructor, WebSocketLike } from './platform.ts'

/** How a connection ended. `details` are those of a ban, which the service tells before it closes. */
export type Closed = { code: number; reason: string; details?: Record<string, unknown> }

/** A connection that was refused or lost. */
export class LinkClosed extends Error {
  readonly closed: Closed

  constructor(closed: Closed) {
    super(closed.reason)
    this.closed = closed
  }

  get asError(): SvcError {
    const { code, reason, details } = this.closed
    const isToldWhy = code >= 4000 && reason !== ''
    return new SvcError(isToldWhy ? (reason as SvcErrorCode) : 'network_error', {
      message: `the connection was closed (${code} ${reason})`,
      details,
    })
  }
}

/** An authenticated WebSocket. */
export type Link = { welcome: Welcome; send(frame: object): void; drop(): void }

type LinkDeps = {
  WebSocket: WebSocketConstructor
  url: string
  auth: object
  /** Raised when it is no longer wanted, opened or not. */
  signal: AbortSignal
  receive(frame: AnyFrame): void
  closed(closed: Closed): void
}

const WELCOME_TIMEOUT_MS = 10_000
const LOST: Closed = { code: 1006, reason: '' }

/** One WebSocket, from its opening to its welcome: afterwards `receive` and `closed` are called, the latter once. */
export function openLink({ WebSocket, url, auth, signal, receive, closed }: LinkDeps): Promise<Link> {
  return new Promise((resolve, reject) => {
    const socket = construct(WebSocket, url)
    let ended = (how: Closed) => reject(new LinkClosed(how))
    let isOver = false
    let ban: Record<string, unknown> | undefined
    const giveUp = () => over(LOST)
    const timer = setTimeout(giveUp, WELCOME_TIMEOUT_MS)
    signal.addEventListener('abort', giveUp)

    /** Also when the other side does not answer any more: a closing handshake would be waited for in vain. */
    function over(how: Closed) {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      socket.close()
      ended(how)
    }

    socket.onopen = () => socket.send(JSON.stringify({ t: 'auth', ...auth }))
    socket.onclose = ({ code, reason }: Closed) => over({ code, reason, ...(ban && { details: ban }) })
    socket.onerror = () => {}
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (isOver) return
      const frame = JSON.parse(String(data)) as AnyFrame
      if (isBan(frame)) return void (ban = frame.details)
      if (frame.t !== 'welcome') return receive(frame)
      clearTimeout(timer)
      ended = closed
      resolve({
        welcome: frame as Welcome,
        send: (out) => socket.send(JSON.stringify(out)),
        drop: giveUp,
      })
    }
  })
}

type Ban = { t: 'warn'; code: 'player_banned'; details: BanWarningDetails }

const isBan = (frame: AnyFrame): frame is Ban => frame.t === 'warn' && (frame as Ban).code === 'player_banned'

/** A page of https may not open a ws: address, and not every text is one. */
function construct(WebSocket: WebSocketConstructor, url: string): WebSocketLike {
  try {
    return new WebSocket(url)
  } catch (error) {
    throw new SvcError('invalid_options', { message: `${url} cannot be connected to: ${String(error)}` })
  }
}
