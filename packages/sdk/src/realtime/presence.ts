import { SvcError, type SvcErrorCode } from '../http/errors.ts'
import { createEventBuffer } from './event-buffer.ts'
import { createEvents, type Emitter } from './events.ts'
import type { Socket } from './socket.ts'

const QUEUED_MAX = 64

/** The events that rooms and channels have in common. */
type CommonEvents = {
  reconnecting: []
  closed: [reason: string, error?: SvcError, result?: unknown]
  warn: [error: SvcError]
}

type Options<Frame> = {
  socket: Pick<Socket, 'sendEvent'>
  receive: (frame: Frame) => void
  /** Whether frames have to wait. */
  isHeld?: () => boolean
  /** Called once. */
  left: () => void
  /** The error of messages that are sent afterwards. */
  leftCode: SvcErrorCode
}

/** The player in a room or a channel: present, reconnecting, or no longer in it. */
export type Presence<Events extends CommonEvents, Frame> = ReturnType<typeof createPresence<Events, Frame>>

/** Creates the presence of a player who has just joined. Frames wait until the caller has its room or channel. */
export function createPresence<Events extends CommonEvents, Frame>({
  socket,
  receive,
  isHeld,
  left,
  leftCode,
}: Options<Frame>) {
  const events = createEvents<Events>()
  const { emit } = events as unknown as Emitter<CommonEvents>
  const buffer = createEventBuffer(receive, isHeld)
  let phase: 'present' | 'reconnecting' | 'over' = 'present'
  /** Frames sent while there was no connection. */
  let queued: (() => void)[] = []
  let isFull = false

  function warn(error: SvcError) {
    if (!emit('warn', error)) console.warn(error)
  }

  function leave() {
    phase = 'over'
    queued = []
    left()
  }

  return {
    ...events,
    ...buffer,
    get phase() {
      return phase
    },
    warn,
    leave,

    /** Sends the frame now and returns true, or when the connection is back. Returns nothing if it does neither. */
    send(t: string, fields: Record<string, unknown>): unknown {
      if (phase === 'over') return warn(new SvcError(leftCode))
      if (phase === 'present') return socket.sendEvent(t, fields)
      if (queued.length >= QUEUED_MAX) {
        if (!isFull) warn(new SvcError('queue_full'))
        isFull = true
        return undefined
      }
      // A copy: the caller may change the object later.
      const copy = JSON.parse(JSON.stringify(fields))
      return queued.push(() => void socket.sendEvent(t, copy))
    },

    disconnected() {
      buffer.open()
      if (phase !== 'present') return
      phase = 'reconnecting'
      emit('reconnecting')
    },

    /** Returns whether the player was reconnecting. */
    connected(): boolean {
      buffer.open()
      if (phase !== 'reconnecting') return false
      phase = 'present'
      isFull = false
      return true
    },

    /** Call it after `connected`. */
    sendQueued: () => queued.splice(0).forEach((send) => send()),

    end(...how: CommonEvents['closed']) {
      buffer.open()
      if (phase === 'over') return
      leave()
      emit('closed', ...how)
    },
  }
}
