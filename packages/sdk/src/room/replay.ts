import type { RoomRecording, RoomTurn } from '@svc/contract/realtime/code-rooms'

import { messageOf } from './intrinsics.ts'
import { type Effect, readAnswer } from './read-answer.ts'
import { createRooms } from './runtime.ts'
import { testService } from './test-service.ts'

/**
 * Runs recorded turns of a room ("Save as test" in the dashboard, `svc rooms record`) with a class, and compares what the code changes with
 * what it changed then. Resolves if everything is the same; otherwise rejects with an error that names the first turn and the first path
 * that differ. It also rejects if the code throws. After a turn in which the recorded code threw and this one does not, the states are no
 * longer compared, because they are those of a broken room. What the code awaited must be in `env` again. The error has the stack of what
 * the code threw, which is also its `cause`.
 *
 * ```ts
 * await replay(Arena, JSON.parse(readFileSync('turns.json', 'utf8')))
 * ```
 */
export async function replay(
  Class: new () => object,
  recording: RoomRecording,
  env: Record<string, unknown> = {},
): Promise<void> {
  const { roomId, className, start, turns } = recording
  const late: Effect[][] = []
  const thrown: unknown[] = []
  const rooms = createRooms({
    classes: { [className]: Class },
    env: { SVC: testService([]), ...env },
    run: (_, work) => work(),
    send: (text) => void late.push(...readAnswer(text).map(({ effects }) => effects)),
    onError: (error) => void thrown.push(error),
  })
  const run = (turn: number, atMs: number, events: unknown[]): Effect[] =>
    readAnswer(rooms.handle(JSON.stringify([[roomId, turn, atMs, events]])))[0]?.effects ?? []

  let restored: Effect[] = []
  if (start !== null) {
    const { options, info, players } = start
    restored = run(0, turns[0]?.at ?? 0, [['restore', className, options, info, start, players]])
    failIfBroken(restored, 'At the start', thrown)
  }
  let isMended = false
  for (const [at, recorded] of turns.entries()) {
    const isLate = recorded.turn === -1
    if (isLate) await someTasks(() => late.length > 0)
    const effects = isLate
      ? late.shift()
      : isRestored(recorded)
        ? restored
        : run(recorded.turn, recorded.at, recorded.events)
    const name = nameOf(recorded, at, turns)
    if (effects) failIfBroken(effects, name, thrown)
    isMended ||= (recorded.errors?.length ?? 0) > 0
    const problem = isMended ? undefined : differenceBetween(effects, recorded)
    if (problem !== undefined) throw new Error(`${name}: ${problem}${start === null ? '' : FROM_SNAPSHOT}`)
    // What is left over changed only what players do not see.
    if (turns[at + 1]?.turn !== -1) for (const rest of late.splice(0)) failIfBroken(rest, name, thrown)
  }
}

/** A class that keeps something only in its own fields loses it in a snapshot. */
const FROM_SNAPSHOT =
  ' The recording begins with a snapshot: what the class has outside of its states must come from save.'

/** The turn that continued the room from `start`. */
const isRestored = ({ events: [first] }: RoomTurn) => Array.isArray(first) && first[0] === 'restore'

function failIfBroken(effects: readonly Effect[], turn: string, thrown: readonly unknown[]) {
  for (const { kind, payload } of effects) {
    if (kind !== 'failed' && kind !== 'threw') continue
    const { message } = payload as { message: string }
    const cause = thrown.find((error) => messageOf(error) === message)
    const what = kind === 'failed' ? 'The room could not be opened' : `${turn}: the code threw an error`
    throw withStackOf(cause, new Error(`${what}: ${message}`, { cause }))
  }
}

/** The line of the developer is in the stack of what was thrown, not in ours. */
function withStackOf(thrown: unknown, error: Error): Error {
  const stack = thrown instanceof Error ? String(thrown.stack) : ''
  const frames = stack.search(/^ {4}at /m)
  if (frames >= 0) error.stack = `${error.name}: ${error.message}\n${stack.slice(frames)}`
  return error
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

function differenceBetween(effects: readonly Effect[] | undefined, then: Changes): string | undefined {
  if (!effects) return 'the code changed nothing after an await.'
  const now = changesOf(effects)
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
