/** What the code of a room has done. `target` is a player, several of them or the id of a question; `payload` is JSON text or empty. */
export type Effect = { kind: EffectKind; target: Target; payload: string; bytes: number }
export type Target = string | number | readonly string[] | null

/** One room of a message of a process. `turn` is -1 for what happened between two turns, after an `await`. */
export type Answer = { roomId: string; turn: number; effects: readonly Effect[] }

/** No healthy process sends this: the process is ended. */
export class BrokenAnswerError extends Error {}

const KINDS = [
  'opened',
  'failed',
  'sync',
  'own',
  'acks',
  'joined',
  'view',
  'refused',
  'msg',
  'reply',
  'error',
  'unknown',
  'warn',
  'snap',
  'end',
  'kick',
  'lock',
  'meta',
  'wake',
  'threw',
] as const
export type EffectKind = (typeof KINDS)[number]

/** The turn number of what happened after an `await`. */
export const BETWEEN_TURNS = -1

const NEWLINE = 10
const known: ReadonlySet<unknown> = new Set(KINDS)

/**
 * Reads a message of a process: a line `[[roomId, turn, [[kind, target], …]], …]`, then one line for the payload of each kind. Only the
 * first line is parsed; payloads are cut out by their bytes. Throws BrokenAnswerError.
 */
export function readAnswers(bytes: Buffer): Answer[] {
  const headEnd = bytes.indexOf(NEWLINE)
  if (headEnd < 0) throw new BrokenAnswerError('the first line does not end')
  const head = parse(bytes.toString('utf8', 0, headEnd))
  if (!Array.isArray(head)) throw new BrokenAnswerError('the first line is not a list')

  let from = headEnd + 1
  function nextPayload(): { payload: string; bytes: number } {
    const end = bytes.indexOf(NEWLINE, from)
    if (end < 0) throw new BrokenAnswerError('a payload is missing')
    const payload = { payload: bytes.toString('utf8', from, end), bytes: end - from }
    from = end + 1
    return payload
  }
  const answers = head.map((entry) => answerOf(entry, nextPayload))
  if (from !== bytes.length) throw new BrokenAnswerError('there are more payloads than kinds')
  return answers
}

function answerOf(entry: unknown, nextPayload: () => { payload: string; bytes: number }): Answer {
  if (!Array.isArray(entry) || entry.length !== 3) throw new BrokenAnswerError('an entry is not a triple')
  const [roomId, turn, effects] = entry as unknown[]
  if (typeof roomId !== 'string' || !Number.isSafeInteger(turn) || !Array.isArray(effects))
    throw new BrokenAnswerError('an entry is not [roomId, turn, effects]')
  return {
    roomId,
    turn: turn as number,
    effects: effects.map((effect) => ({ ...kindOf(effect), ...nextPayload() })),
  }
}

function kindOf(effect: unknown): { kind: EffectKind; target: Target } {
  if (!Array.isArray(effect) || effect.length > 2) throw new BrokenAnswerError('an effect is not a pair')
  const [kind, target = null] = effect as unknown[]
  if (!known.has(kind)) throw new BrokenAnswerError('an effect is of an unknown kind')
  if (!isTarget(target)) throw new BrokenAnswerError('a target is no player and no question')
  return { kind: kind as EffectKind, target }
}

const isTarget = (target: unknown): target is Target =>
  target === null ||
  typeof target === 'string' ||
  Number.isSafeInteger(target) ||
  (Array.isArray(target) && target.every((each) => typeof each === 'string'))

/** For the payloads that the service interprets. Throws BrokenAnswerError. */
export function parsed(payload: string): unknown {
  return parse(payload)
}

/** A payload that must be an object. Throws BrokenAnswerError. */
export function parsedObject(payload: string): Record<string, unknown> {
  const value = parse(payload)
  if (!isObject(value)) throw new BrokenAnswerError('a payload is not an object')
  return value
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BrokenAnswerError('a payload is not JSON')
  }
}
