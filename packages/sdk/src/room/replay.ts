import type { RoomRecording, RoomTurn } from '@svc/contract/realtime/code-rooms'

import { type Effect, readAnswer } from './read-answer.ts'
import { createRooms } from './runtime.ts'

/**
 * Runs recorded turns of a room (`svc rooms turns`) with a class, and compares what the code changes with what it changed then. Resolves
 * if everything is the same; otherwise rejects with an error that names the first turn and the first path that differ. What the code
 * awaited must be in `env` again.
 *
 * @example
 * await replay(Arena, JSON.parse(readFileSync('turns.json', 'utf8')))
 */
export async function replay(
  Class: new () => object,
  recording: RoomRecording,
  env: unknown = {},
): Promise<void> {
  const { roomId, className, start, turns } = recording
  let late: Effect[][] = []
  const rooms = createRooms({
    classes: { [className]: Class },
    env,
    run: (_, work) => work(),
    send: (text) => void late.push(...readAnswer(text).map(({ effects }) => effects)),
    onError: () => {},
  })
  const run = (turn: number, atMs: number, events: unknown[]): Effect[] =>
    readAnswer(rooms.handle(JSON.stringify([[roomId, turn, atMs, events]])))[0]?.effects ?? []

  if (start !== null) {
    const { options, info, players } = start
    const effects = run(0, turns[0]?.at ?? 0, [['restore', className, options, info, start, players]])
    failIfNotOpened(effects)
  }
  for (const [at, recorded] of turns.entries()) {
    const isLate = recorded.turn === -1
    if (isLate) await someTasks(() => late.length > 0)
    const effects = isLate ? late.shift() : run(recorded.turn, recorded.at, recorded.events)
    if (!effects) throw new Error(`${nameOf(recorded, at, turns)}: the code changed nothing after an await.`)
    failIfNotOpened(effects)
    const problem = differenceBetween(changesOf(effects), recorded)
    if (problem !== undefined) throw new Error(`${nameOf(recorded, at, turns)}: ${problem}`)
    // What is left over changed only what players do not see.
    if (turns[at + 1]?.turn !== -1) late = []
  }
}

function failIfNotOpened(effects: readonly Effect[]) {
  const failed = effects.find(({ kind }) => kind === 'failed')
  if (failed)
    throw new Error(`The room could not be opened: ${(failed.payload as { message: string }).message}`)
}

/** Promises of the code continue after tasks of the event loop. */
async function someTasks(isDone: () => boolean) {
  for (let tries = 0; tries < 100 && !isDone(); tries++) await new Promise((resolve) => setTimeout(resolve))
}

function nameOf({ turn }: RoomTurn, at: number, turns: readonly RoomTurn[]): string {
  if (turn !== -1) return `Turn ${turn}`
  const before = turns.slice(0, at).findLast((one) => one.turn !== -1)
  return `After turn ${before?.turn ?? 0}`
}

type Changes = Pick<RoomTurn, 'patch' | 'own'>

function changesOf(effects: readonly Effect[]): Changes {
  const patch = effects.find(({ kind }) => kind === 'sync')?.payload ?? null
  const own = effects.filter(({ kind }) => kind === 'own').map(({ target, payload }) => [target, payload])
  return { patch: patch as Changes['patch'], own: Object.fromEntries(own) as Changes['own'] }
}

function differenceBetween(now: Changes, then: Changes): string | undefined {
  return (
    firstDifference(now.patch ?? {}, then.patch ?? {}, 'state') ?? firstDifference(now.own, then.own, 'own')
  )
}

/** Where two values differ first, as a sentence. */
function firstDifference(now: unknown, then: unknown, path: string): string | undefined {
  if (Object.is(now, then)) return undefined
  const isBoth = isObject(now) && isObject(then) && Array.isArray(now) === Array.isArray(then)
  if (!isBoth) return `${path} is ${shown(now)}, the recording has ${shown(then)}.`
  const keys = new Set([...Object.keys(then), ...Object.keys(now)])
  for (const key of keys) {
    const found = firstDifference(memberOf(now, key), memberOf(then, key), `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
const memberOf = (value: Record<string, unknown>, key: string) =>
  Object.hasOwn(value, key) ? value[key] : undefined

function shown(value: unknown): string {
  if (value === undefined) return 'unchanged'
  if (value === null) return 'deleted'
  const text = JSON.stringify(value)
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}
