import { monotonicMs } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { Counts, single } from '../../platform/metrics/metrics.ts'
import type { Card, CardProblem, Cards, Drawing, NotDrawnReason } from './cards.ts'
import { type DrawingProcess, type Outcome, startDrawingProcess } from './drawing-process.ts'
import { fontProblem } from './font-coverage.ts'
import { backgroundProblem } from './image-header.ts'
import { plainCard } from './plain-card.ts'
import { createTurns } from './turns.ts'

type Waiting = { card: Card; resolve: (drawing: Drawing | Promise<Drawing>) => void }
type Attempt = Drawing | { isDrawn: 'again'; reason: 'timeout' | 'crashed' }

const LIMITS = {
  drawCpuMsMax: 5_000,
  waitMsMax: 60_000,
  /** A waiting card is about two kilobytes: its files are read when it is drawn. */
  waitingMax: 1_000,
  waitingPerEnvironmentMax: 250,
  /** Cards of one environment in a row. The process keeps the files of the last card, so these are sent once per turn. */
  turnMax: 8,
  tooSlowMs: 60_000,
  idleMs: 60_000,
  rssBytesMax: 400 * 1024 * 1024,
  /** Lower than the priority of the service, so that requests of players come first. */
  priority: 10,
}

const TOO_SLOW_MAX = 1_000

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
  const waiting = createTurns<Waiting>(limits)
  /** Files with which a card took too much CPU time, until when: the many links of one app must not take it each. */
  const tooSlow = new Map<string, number>()
  let current: DrawingProcess | undefined
  let working: Promise<void> | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false
  let problem: string | undefined

  const outcomes = new Counts('svc_cards_drawn_total', 'outcome', ['drawn', 'busy', 'timeout', 'crashed'])

  async function endProcess() {
    const ending = current
    current = undefined
    await ending?.end()
  }

  async function drawAll() {
    clearTimeout(idle)
    for (let next = waiting.next(); next; next = waiting.next()) {
      const drawing = drawOne(next.card)
      next.resolve(drawing)
      await drawing.catch(() => {})
    }
    working = undefined
    if (!isClosed) idle = setTimeout(() => void endProcess(), limits.idleMs).unref()
  }

  /**
   * Tries again once after a crash. If the files of the app may be the reason, the last attempt is without them. After a crash that
   * is the card; after a timeout it is a fallback, because the next attempt may succeed.
   */
  async function drawOne(card: Card): Promise<Drawing> {
    if (monotonicMs() < (tooSlow.get(filesOf(card)) ?? 0))
      return { ...notDrawn('timeout'), problems: problemsOf(card, 'timeout') }
    let attempt = await tryToDraw(card)
    if (attempt.isDrawn === 'again' && attempt.reason === 'crashed') attempt = await tryToDraw(card)
    if (attempt.isDrawn !== 'again') return attempt

    const { reason } = attempt
    const problems = problemsOf(card, reason)
    if (problems.length === 0) return notDrawn(reason)
    if (reason === 'timeout')
      setBounded(tooSlow, filesOf(card), monotonicMs() + limits.tooSlowMs, TOO_SLOW_MAX)
    const without = await tryToDraw({ ...card, background: null, font: null })
    if (without.isDrawn === 'again') return notDrawn(reason)
    if (!without.isDrawn) return without
    return reason === 'crashed'
      ? { ...without, problems }
      : { isDrawn: false, png: without.png, problems, reason }
  }

  async function tryToDraw(card: Card): Promise<Attempt> {
    if (isClosed) return notDrawn('closed')
    current ??= startDrawingProcess(limits)
    const outcome = await current.draw(card)
    if ('png' in outcome) {
      if (outcome.rssBytes > limits.rssBytesMax) await endProcess()
      return { isDrawn: true, png: outcome.png, problems: outcome.problems }
    }
    await endProcess()
    if (isClosed) return notDrawn('closed')
    log(`A card of environment ${card.environmentId} was not drawn: ${reportOf(outcome)}.`)
    // The host is too busy even for the card without its files.
    if ('timedOut' in outcome) return notDrawn('timeout')
    return { isDrawn: 'again', reason: 'cpuExceeded' in outcome ? 'timeout' : 'crashed' }
  }

  async function draw(card: Card): Promise<Drawing> {
    if (isClosed) return notDrawn('closed')
    const { promise, resolve } = Promise.withResolvers<Drawing>()
    if (!waiting.add(card.environmentId, { card, resolve })) return notDrawn('busy')
    working ??= drawAll()
    return promise
  }

  return {
    async draw(card) {
      const drawing = await draw(card)
      outcomes.add(drawing.isDrawn ? 'drawn' : drawing.reason)
      problem = drawing.isDrawn ? undefined : `the last card was not drawn: ${drawing.reason}`
      return drawing
    },
    problem: () => problem,
    metrics: [outcomes, single('svc_cards_waiting', waiting.size)],
    plain: plainCard,
    backgroundProblem,
    fontProblem,

    async close() {
      isClosed = true
      clearTimeout(idle)
      for (const { resolve } of waiting.takeAll()) resolve(notDrawn('closed'))
      await endProcess()
      await working
    },

    /** For tests: the process that draws, if there is one. */
    processId: () => current?.pid,
  } satisfies Cards & { processId(): number | undefined }
}

const notDrawn = (reason: NotDrawnReason): Drawing => ({
  isDrawn: false,
  png: plainCard(),
  problems: [],
  reason,
})

const filesOf = ({ background, font }: Card) => `${background?.sha256} ${font?.sha256}`

function problemsOf({ background, font }: Card, reason: 'timeout' | 'crashed'): CardProblem[] {
  const message = reason === 'timeout' ? 'takes too long to draw' : 'cannot be drawn'
  return [
    ...(background ? [{ file: 'background', message } as const] : []),
    ...(font ? [{ file: 'font', message } as const] : []),
  ]
}

function reportOf(outcome: Exclude<Outcome, { png: Uint8Array }>): string {
  if ('failed' in outcome) return outcome.failed
  if ('cpuExceeded' in outcome) return 'it took too much CPU time'
  return 'timedOut' in outcome ? 'it took too long' : `the drawing process ended (${outcome.ended})`
}
