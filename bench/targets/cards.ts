import { fork } from 'node:child_process'
import { once } from 'node:events'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

import type { Card } from '../../packages/server/src/engines/cards/cards.ts'
import { imageSize } from '../../packages/server/src/engines/cards/image-header.ts'
import { interCoverage } from '../../packages/server/src/engines/cards/inter.ts'
import { openTakumi } from '../../packages/server/src/engines/cards/takumi.ts'
import { layoutOf, linesOf } from '../../packages/server/src/engines/cards/template.ts'
import type { Line } from '../harness.ts'
import { median, type Metrics, percentile } from '../metrics.ts'
import { rssMb, threadsCpuMs } from '../process-stats.ts'
import { peerScript } from './peer-scripts.ts'

/** A new process that draws the same card with different scores. */
type Drawing = { draw(score: number): Promise<unknown>; pid(): number; end(): Promise<unknown> }

export const SATORI = 'satori and resvg'

const CARDS_PER_ROUND = 100
// Like the service, which `bin/on-node-26.js` starts with this folder.
const COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/svc')

const card: Card = {
  environmentId: 'bench',
  templateVersion: 1,
  kind: 'challenge',
  title: 'Star Duel',
  score: 12_345,
  displayName: 'Zoë',
  language: 'en',
  theme: { background: '#0f1115', accent: '#ffcc33', text: '#ffffff' },
  background: null,
  font: null,
}

function startTakumi(): Drawing {
  enableCompileCache(COMPILE_CACHE)
  const cards = openTakumi({ log: console.error })
  return {
    draw: (score) => cards.draw({ ...card, score }),
    pid: () => cards.processId() ?? 0,
    end: () => cards.close(),
  }
}

/** It gets the layout that the drawing process of the service makes itself. */
function startSatori(): Drawing {
  const child = fork(peerScript('satori.mjs'), {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    serialization: 'advanced',
  })
  const exited = once(child, 'exit')
  return {
    async draw(score) {
      child.send(layoutOf(linesOf({ ...card, score }, [interCoverage]), card.theme, false))
      const [{ png }] = await Promise.race([
        once(child, 'message'),
        exited.then(() => Promise.reject(new Error(`${SATORI} has ended`))),
      ])
      if (imageSize(png)?.width !== 1200) throw new Error(`${SATORI} has not drawn a card`)
    },
    pid: () => child.pid ?? 0,
    end() {
      child.kill('SIGKILL')
      return exited
    },
  }
}

/** From the start of the process to its first card. */
export async function drawFirst(start: () => Drawing): Promise<Metrics> {
  const startedAt = performance.now()
  const drawing = start()
  await drawing.draw(12_345)
  const wallMs = performance.now() - startedAt
  const pid = drawing.pid()
  const metrics = { wallMs, cpuMs: threadsCpuMs(pid), rssMb: rssMb(pid) }
  await drawing.end()
  return metrics
}

/** One after the other, after the first. */
export async function drawMany(start: () => Drawing): Promise<Metrics> {
  const drawing = start()
  await drawing.draw(0)
  const pid = drawing.pid()
  const before = threadsCpuMs(pid)
  const times: number[] = []
  for (let score = 1; score <= CARDS_PER_ROUND; score++) {
    const startedAt = performance.now()
    await drawing.draw(score)
    times.push(performance.now() - startedAt)
  }
  const cpuMicros = ((threadsCpuMs(pid) - before) * 1_000) / CARDS_PER_ROUND
  const memory = rssMb(pid)
  await drawing.end()
  const ascending = times.toSorted((one, other) => one - other)
  return { cpuMicros, p50Ms: median(times), p99Ms: percentile(ascending, 0.99), rssMb: memory }
}

/** The lines of all drawers, with the goals of ours. */
export const cardLines = (
  withPeers: boolean,
  measure: (start: () => Drawing) => Promise<Metrics>,
  goals: NonNullable<Line['goals']>,
): Line[] => [
  { name: 'takumi', measure: () => measure(startTakumi), goals },
  ...(withPeers ? [{ name: SATORI, measure: () => measure(startSatori) }] : []),
]
