import type { Card, CardProblem, Cards, Drawing, NotDrawnReason } from './cards.ts'
import { type DrawingProcess, startDrawingProcess } from './drawing-process.ts'
import { fontProblem } from './font-coverage.ts'
import { backgroundProblem } from './image-header.ts'
import { plainCard } from './plain-card.ts'

type Waiting = { card: Card; resolve: (drawing: Drawing | Promise<Drawing>) => void }
type Attempt = Drawing | { isDrawn: 'again'; reason: 'timeout' | 'crashed' }

const LIMITS = {
  drawTimeoutMs: 5_000,
  waitingMax: 100,
  waitingPerEnvironmentMax: 8,
  idleMs: 60_000,
  rssBytesMax: 400 * 1024 * 1024,
  /** Lower than the priority of the service, so that requests of players come first. */
  priority: 10,
}

/**
 * Draws with takumi, one card at a time, in a process that starts with the first card and ends a minute after the last. A process
 * that crashes, hangs or uses too much memory is replaced.
 */
export function openTakumi({
  log,
  limits: given = {},
}: {
  log(line: string): void
  limits?: Partial<typeof LIMITS>
}) {
  const limits = { ...LIMITS, ...given }
  const waiting: Waiting[] = []
  let current: DrawingProcess | undefined
  let working: Promise<void> | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false

  async function endProcess() {
    const ending = current
    current = undefined
    await ending?.end()
  }

  async function drawAll() {
    clearTimeout(idle)
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const drawing = drawOne(next.card)
      next.resolve(drawing)
      await drawing.catch(() => {})
    }
    working = undefined
    if (!isClosed) idle = setTimeout(() => void endProcess(), limits.idleMs).unref()
  }

  /** Tries again once after a crash. If the files of the app may be the reason, the last attempt is without them. */
  async function drawOne(card: Card): Promise<Drawing> {
    let attempt = await tryToDraw(card)
    if (attempt.isDrawn === 'again' && attempt.reason === 'crashed') attempt = await tryToDraw(card)
    if (attempt.isDrawn !== 'again') return attempt

    const { reason } = attempt
    const problems = problemsOf(card, reason)
    if (problems.length > 0) attempt = await tryToDraw({ ...card, background: null, font: null })
    if (attempt.isDrawn === true) return { ...attempt, problems }
    return attempt.isDrawn === 'again' ? notDrawn(reason) : attempt
  }

  async function tryToDraw(card: Card): Promise<Attempt> {
    if (isClosed) return notDrawn('closed')
    current ??= startDrawingProcess(limits)
    const outcome = await current.draw(card, limits.drawTimeoutMs)
    if ('png' in outcome) {
      if (outcome.rssBytes > limits.rssBytesMax) await endProcess()
      return { isDrawn: true, png: outcome.png, problems: outcome.problems }
    }
    await endProcess()
    if (isClosed) return notDrawn('closed')
    log(`A card of environment ${card.environmentId} was not drawn: ${reportOf(outcome)}.`)
    return { isDrawn: 'again', reason: 'timedOut' in outcome ? 'timeout' : 'crashed' }
  }

  return {
    async draw(card) {
      if (isClosed) return notDrawn('closed')
      const ofEnvironment = waiting.filter((other) => other.card.environmentId === card.environmentId)
      if (waiting.length >= limits.waitingMax) return notDrawn('busy')
      if (ofEnvironment.length >= limits.waitingPerEnvironmentMax) return notDrawn('busy')

      const { promise, resolve } = Promise.withResolvers<Drawing>()
      waiting.push({ card, resolve })
      working ??= drawAll()
      return promise
    },
    backgroundProblem,
    fontProblem,

    async close() {
      isClosed = true
      clearTimeout(idle)
      for (const { resolve } of waiting.splice(0)) resolve(notDrawn('closed'))
      await endProcess()
      await working
    },

    /** For tests: the process that draws, if there is one. */
    processId: () => current?.pid,
  } satisfies Cards & { processId(): number | undefined }
}

const notDrawn = (reason: NotDrawnReason): Drawing => ({ isDrawn: false, png: plainCard(), reason })

function problemsOf({ background, font }: Card, reason: 'timeout' | 'crashed'): CardProblem[] {
  const message = reason === 'timeout' ? 'takes too long to draw' : 'cannot be drawn'
  return [
    ...(background ? [{ file: 'background', message } as const] : []),
    ...(font ? [{ file: 'font', message } as const] : []),
  ]
}

function reportOf(outcome: { failed: string } | { timedOut: true } | { ended: string }): string {
  if ('failed' in outcome) return outcome.failed
  return 'timedOut' in outcome ? 'it took too long' : `the drawing process ended (${outcome.ended})`
}
