const EARLY_MAX = 256

/** A buffer of frames; `open` delivers them and ends the buffering. */
export type Early<Frame> = { receive(frame: Frame): void; open(): void; flushSoon(): void }

/**
 * Buffers frames that arrive before the caller could add listeners (the join reply and the first message may come in one tick).
 * They are delivered in order once the room is returned.
 */
export function createEventBuffer<Frame>(pass: (frame: Frame) => void): Early<Frame> {
  let waiting: Frame[] | undefined = []

  function open() {
    const early = waiting ?? []
    waiting = undefined
    early.forEach(pass)
  }

  return {
    receive(frame) {
      if (!waiting) return pass(frame)
      // Nobody seems to want it.
      if (waiting.push(frame) >= EARLY_MAX) open()
    },
    open,
    /** Not at once: first whoever awaits the room goes on, and listens. */
    flushSoon: () => void setTimeout(open),
  }
}
