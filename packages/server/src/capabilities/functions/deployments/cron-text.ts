import type { Cron } from 'croner'

import { setBounded } from '../../../platform/memory/bounded-map.ts'
import { lazy } from '../../../platform/memory/lazy.ts'

/** Loaded with the first cron of this node. */
const loadCroner = lazy(() => import('croner'))
const PARSED_MAX = 10_000
const parsed = new Map<string, Cron>()

/** Five fields, in UTC. Throws with the reason for every other text. */
async function parse(text: string): Promise<Cron> {
  const known = parsed.get(text)
  if (known) return known
  const { Cron: Parser } = await loadCroner()
  const cron = new Parser(text, { mode: '5-part', timezone: 'UTC', paused: true })
  setBounded(parsed, text, cron, PARSED_MAX)
  return cron
}

/** Why a text is not a cron; undefined for a good one. */
export async function cronProblem(text: string): Promise<string | undefined> {
  if (!/^[0-9A-Za-z*,/# ?LW-]{1,128}$/.test(text) || text.split(' ').length !== 5)
    return 'must have five fields: minute, hour, day, month, weekday'
  try {
    await parse(text)
    return undefined
  } catch (error) {
    return `must be a cron: ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

/** The first time after `ms`, in ms; undefined if there is none. */
export async function nextRunAfter(text: string, ms: number): Promise<number | undefined> {
  return (await parse(text)).nextRun(new Date(ms))?.getTime()
}
