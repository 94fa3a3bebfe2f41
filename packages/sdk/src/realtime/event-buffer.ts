const BUFFERED_MAX = 256

/** A buffer of frames; `open` delivers them and ends the buffering. */
export type EventBuffer<Frame> = { receive(frame: Frame): void; open(): void; flushSoon(): void }

/**
 * Buffers frames that arrive before the caller could add listeners (the join reply and the first message may come in one tick).
 * They are delivered in order once the room is returned. While `isHeld` returns true, nothing is delivered.
 */
export function createEventBuffer<Frame>(
  pass: (frame: Frame) => void,
  isHeld?: () => boolean,
): EventBuffer<Frame> {
  let waiting: Frame[] | undefined = []

  function open() {
    if (isHeld?.()) return
    const buffered = waiting ?? []
    waiting = undefined
    buffered.forEach(pass)
  }

  return {
    receive(frame) {
      if (!waiting) return pass(frame)
      // The caller does not take the room: stop buffering, or memory would grow.
      if (waiting.push(frame) >= BUFFERED_MAX) open()
    },
    open,
    /** In a later tick: the caller that awaits the room can add its listeners first. */
    flushSoon: () => void setTimeout(open),
  }
}
