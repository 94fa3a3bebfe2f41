const EARLY_MAX = 256

export type Early<Frame> = { receive(frame: Frame): void; open(): void; openSoon(): void }

/**
 * What is told before whoever has joined could listen: several frames may come in one turn, the one that makes a room and
 * the first message in it. They wait, in their order, until the room was handed over.
 */
export function createEarly<Frame>(pass: (frame: Frame) => void): Early<Frame> {
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
    openSoon: () => void setTimeout(open),
  }
}
