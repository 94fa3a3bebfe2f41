import { LIMITS } from '@svc/contract/common/limits'
import type { NetworkConditions } from '@svc/contract/playground'
import { CLOSE_CODES } from '@svc/contract/realtime/realtime'

import type { Random } from '../../platform/random.ts'
import type { Timer, Timers } from '../../platform/time/timers.ts'
import type { Connection } from './connection.ts'
import type { SocketHandlers, WebSocketConnection } from './websocket/connection.ts'

type Deps = { timers: Timers; nowMs(): number; random: Random }
type Waiting = { deliver: () => void; bytes: number; dueMs: number }

/** As Linux does: TCP waits at least this long before it sends lost data again. */
const RETRANSMISSION_MS_MIN = 200
/** Empty frames need memory, too. */
const FRAME_OVERHEAD_BYTES = 128

export type SimulatedNetwork = ReturnType<typeof simulateNetwork>

/**
 * Puts a simulated network between one connection and its client, until `end()` or the close of the connection. It replaces methods
 * and handlers of this connection only, so that all others run the same code as without it.
 */
export function simulateNetwork(connection: Connection, initial: NetworkConditions, deps: Deps) {
  const { link } = connection
  const { on } = link
  let conditions = initial
  let waitingBytes = 0
  const incoming = new Direction()
  const outgoing = new Direction()

  const own: Pick<WebSocketConnection, 'send' | 'close' | 'refuse'> = {
    send(frame) {
      const copy = copied(frame)
      add(outgoing, frame.length, () => prototypeOf(link).send.call(link, copy))
    },
    close(code, reason) {
      end()
      link.close(code, reason)
    },
    refuse(code, reason) {
      end()
      link.refuse(code, reason)
    },
  }
  const handlers: SocketHandlers = {
    message(payload) {
      const copy = copied(payload)
      add(incoming, payload.length, () => on.message(copy))
    },
    binary: () => add(incoming, 0, () => on.binary()),
    pong: () => add(incoming, 0, () => on.pong()),
    control: () => on.control(),
    closed(code, reason) {
      // The client sent these frames before it closed the connection.
      if (!conditions.paused) incoming.deliver(Infinity)
      end()
      on.closed(code, reason)
    },
  }
  Object.assign(link, own)
  link.on = handlers

  function add(direction: Direction, bytes: number, deliver: () => void) {
    const { latencyMs, lossPercent } = conditions
    const isLost = lossPercent > 0 && deps.random.bytes(4).readUInt32LE() < (lossPercent / 100) * 2 ** 32
    const lateMs = isLost ? Math.max(RETRANSMISSION_MS_MIN, 2 * latencyMs) : 0
    const needed = bytes + FRAME_OVERHEAD_BYTES
    waitingBytes += needed
    direction.add({
      bytes: needed,
      dueMs: deps.nowMs() + latencyMs / 2 + lateMs,
      deliver() {
        waitingBytes -= needed
        deliver()
      },
    })
    if (waitingBytes <= LIMITS.simulatedWaitingBytesMax) return schedule(direction)
    outgoing.clear()
    connection.close(CLOSE_CODES.rateLimitAbuse, 'slow_consumer')
  }

  function schedule(direction: Direction) {
    if (conditions.paused || direction.timer || direction.firstDueMs === undefined) return
    direction.timer = deps.timers.after(Math.max(0, direction.firstDueMs - deps.nowMs()), () => {
      direction.timer = undefined
      direction.deliver(deps.nowMs())
      schedule(direction)
    })
  }

  /** The connection is as before. What was sent to the client is delivered, what the client has sent is not. */
  function end() {
    if (link.on !== handlers) return
    for (const name of Object.keys(own) as (keyof typeof own)[]) Reflect.deleteProperty(link, name)
    link.on = on
    incoming.clear()
    outgoing.deliver(Infinity)
    outgoing.clear()
  }

  return {
    change(to: NetworkConditions) {
      conditions = to
      for (const direction of [incoming, outgoing]) {
        direction.cancelTimer()
        schedule(direction)
      }
    },
    /** Delivers what waits, in order. */
    end() {
      incoming.deliver(Infinity)
      end()
    },
  }
}

/** Frames on their way, which arrive in the order in which they were sent. */
class Direction {
  timer: Timer | undefined
  #waiting: Waiting[] = []

  get firstDueMs(): number | undefined {
    return this.#waiting[0]?.dueMs
  }

  /** A frame never overtakes another: behind a lost frame, all wait. */
  add(frame: Waiting) {
    this.#waiting.push({ ...frame, dueMs: Math.max(frame.dueMs, this.#waiting.at(-1)?.dueMs ?? 0) })
  }

  deliver(untilMs: number) {
    for (;;) {
      const [first] = this.#waiting
      if (!first || first.dueMs > untilMs) return
      this.#waiting.shift()
      first.deliver()
    }
  }

  clear() {
    this.#waiting = []
    this.cancelTimer()
  }

  cancelTimer() {
    this.timer?.cancel()
    this.timer = undefined
  }
}

const prototypeOf = (link: WebSocketConnection) => Object.getPrototypeOf(link) as WebSocketConnection

/** Memory of its own: the bytes of a frame may be part of a larger buffer, which would stay in memory. */
function copied(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}
