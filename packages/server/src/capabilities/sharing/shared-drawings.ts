import type { Background } from '../../platform/background.ts'
import { MINUTE_MS, type Monotonic, SECOND_MS } from '../../platform/clock.ts'
import type { Content } from '../../platform/http/responses.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'

type SharedDrawing = { content: Promise<Content>; isInBackground: boolean }

/** A crawler that waits longer gives up, and the next request gets the picture. */
const WAIT_MS_MAX = 2 * SECOND_MS
/** A card that could not be drawn is not tried again for this time: a file that crashes the drawing would crash it each time. */
const FAILED_MS = MINUTE_MS
const FAILED_MAX = 10_000

/** Concurrent requests for a picture share one drawing, and each waits a short time for it. */
export function createSharedDrawings({
  background,
  plain,
  now,
}: {
  background: Pick<Background, 'run'>
  /** The response while a picture is not drawn yet. */
  plain(): Content
  now: Monotonic
}) {
  /** Bounded by the number of cards that may wait in the engine. */
  const underWay = new Map<string, SharedDrawing>()
  const failures = new Map<string, { until: number; response: Content }>()

  function start(key: string, work: () => Promise<Content>): SharedDrawing {
    const drawing = { content: work().finally(() => underWay.delete(key)), isInBackground: false }
    underWay.set(key, drawing)
    return drawing
  }

  /** Nobody may be waiting any more: the drawing continues, and a failure is logged. */
  function finishInBackground(drawing: SharedDrawing): Content {
    if (!drawing.isInBackground) background.run(() => drawing.content)
    drawing.isInBackground = true
    return plain()
  }

  return {
    /** The picture, or the plain card if it is not drawn soon. */
    async get(key: string, work: () => Promise<Content>): Promise<Content> {
      const failed = failures.get(key)
      if (failed && now() < failed.until) return failed.response
      const drawing = underWay.get(key) ?? start(key, work)
      const { promise: waited, resolve } = Promise.withResolvers<undefined>()
      const timer = setTimeout(resolve, WAIT_MS_MAX, undefined)
      try {
        return (await Promise.race([drawing.content, waited])) ?? finishInBackground(drawing)
      } finally {
        clearTimeout(timer)
      }
    },

    /** The response to requests of the next minute. */
    recordFailure: (key: string, response: Content) =>
      setBounded(failures, key, { until: now() + FAILED_MS, response }, FAILED_MAX),
  }
}
