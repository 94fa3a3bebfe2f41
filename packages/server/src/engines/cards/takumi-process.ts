import { flushCompileCache } from 'node:module'
import { setPriority } from 'node:os'

import type { Card, CardProblem } from './cards.ts'
import { createRenderer } from './takumi-renderer.ts'

/**
 * The drawing process: native code that reads images and fonts of users, without access to the secrets and the memory of the
 * service. It receives one card at a time and ends when the service does.
 */
export type CardRequest = Omit<Card, 'background' | 'font'> & { background: SentFile; font: SentFile }
/** `as before`: the last file of this kind that was sent. */
export type SentFile = Uint8Array | 'as before' | null
export type CardReply =
  | { png: Uint8Array; problems: CardProblem[]; rssBytes: number }
  | { failed: string; rssBytes: number }
  | { cpuExceeded: true }
/** Sent once, before the first card: what the start costs is not part of any drawing. */
export type Ready = { ready: true }

const WATCH_EVERY_MS = 100
const [rssBytesMax = 0, drawCpuMsMax = 0, priority = 0] = process.argv.slice(2).map(Number)

// Threads that are created later have the same priority.
setPriority(priority)
// The channel to the service closes when the service ends, even if it was killed.
process.on('disconnect', () => process.exit())
// Ctrl-C reaches every process of a terminal; the service may still need cards for its last requests.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const renderer = createRenderer()
let isFirst = true
let background: Uint8Array | null = null
let font: Uint8Array | null = null

process.on('message', (card: CardRequest) => {
  if (card.background instanceof Uint8Array) background = card.background
  if (card.font instanceof Uint8Array) font = card.font
  const before = process.cpuUsage()
  const hasExceededCpu = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 > drawCpuMsMax
  }
  let isReplied = false
  function reply(message: CardReply) {
    if (!isReplied) process.send?.(hasExceededCpu() ? ({ cpuExceeded: true } satisfies CardReply) : message)
    isReplied = true
  }
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > rssBytesMax) process.exit(1)
    if (hasExceededCpu()) reply({ cpuExceeded: true })
  }, WATCH_EVERY_MS)
  void renderer
    .render({ ...card, background: card.background && background, font: card.font && font })
    .then(
      (rendered) => reply({ ...rendered, rssBytes: process.memoryUsage.rss() }),
      (error: unknown) => reply({ failed: String(error), rssBytes: process.memoryUsage.rss() }),
    )
    .finally(() => {
      clearInterval(watch)
      // This process is killed when it is no longer needed, so Node would never write its cache at exit.
      if (isFirst) flushCompileCache()
      isFirst = false
    })
})

await renderer.ready
process.send?.({ ready: true } satisfies Ready)
