import { once } from 'node:events'

import { frameProblem, type ServerFrame } from '../../src/testing/frame-check.ts'
import { clientText, closesOf, openRaw } from '../../src/testing/raw-websocket.ts'
import type { GeneratedFrame } from './frame-generators.ts'
import { type Attack, isEndOfNoise } from './frames-bytes.ts'

const TIMEOUT_MS = 20_000
const MARKER = 'marker'
const CLOSE = 8
const BROKEN_FRAMES_MAX = 2

const text = (frame: object) => clientText(JSON.stringify(frame))

/** The port to connect to, and the auth frame. */
export type ConnectionTarget = { port: number; auth: object }
const authOf = ({ auth }: ConnectionTarget) => text({ t: 'auth', ...auth })

/**
 * Sends all pieces without waiting for replies, the first together with the handshake. Returns the received frames and the close
 * code.
 */
async function exchangeFrames(
  port: number,
  [first, ...pieces]: readonly Buffer[],
  isOver: (receivedEvents: ServerFrame[]) => boolean,
) {
  const client = await openRaw(port, first)
  const deadline = setTimeout(() => client.socket.destroy(new Error('late')), TIMEOUT_MS)
  // Pauses after 16 pieces: without pauses the service would not read separate pieces, and a pause per piece would take too long.
  for (const [i, piece] of pieces.entries()) {
    if (client.socket.writable) client.socket.write(piece)
    if (i % 16 === 15) await new Promise((resolve) => setImmediate(resolve))
  }
  const receivedEvents: ServerFrame[] = []
  let read = 0
  const take = () => {
    for (; read < client.frames.length; read++) {
      const frame = client.frames[read]
      if (frame?.opcode === 1) receivedEvents.push(JSON.parse(frame.payload.toString()) as ServerFrame)
    }
    return isOver(receivedEvents)
  }
  const isClosed = () => client.socket.closed || client.frames.some(({ opcode }) => opcode === CLOSE)
  while (!take() && !isClosed()) await Promise.race([once(client.socket, 'data'), client.ended])
  client.socket.end()
  await client.ended
  clearTimeout(deadline)
  take()
  return {
    receivedEvents,
    close: closesOf(client.frames)[0],
    isLate: client.socket.errored?.message === 'late',
  }
}

const marker = (i: number) => text({ t: MARKER, rid: `${MARKER} ${i}` })
const isMarker = (receivedEvents: ServerFrame, i: number) =>
  receivedEvents.t === 'reply' && receivedEvents['rid'] === `${MARKER} ${i}`

/** Sends frames with a marker after each, and checks the frames received between two markers against the contract. */
export async function sendFrames(
  target: ConnectionTarget,
  frames: readonly GeneratedFrame[],
  problems: string[],
) {
  const pieces = frames.flatMap(({ text: frame }, i) => [clientText(frame), marker(i)])
  const last = frames.length - 1
  const { receivedEvents, close, isLate } = await exchangeFrames(
    target.port,
    [authOf(target), ...pieces],
    (all) => all.some((received) => isMarker(received, last)),
  )
  const [welcome, ...rest] = receivedEvents
  const said = (problem: string, frame: GeneratedFrame | undefined, answers: unknown = '') =>
    problems.push(
      `${problem}\n    ${frame?.text.slice(0, 300)}\n    → ${JSON.stringify(answers)?.slice(0, 500)}`,
    )
  if (welcome?.t !== 'welcome') said('no welcome', undefined, { receivedEvents, close })

  let broken = 0
  let answered = 0
  const codes: string[] = []
  for (const [i, frame] of frames.entries()) {
    const end = rest.findIndex((received) => isMarker(received, i))
    const answers = rest
      .splice(0, end < 0 ? rest.length : end + 1)
      .filter((received) => !isMarker(received, i))
    if (end < 0) {
      // Only the third broken frame, or the eleventh wrong code in a minute, closes the connection.
      const isBrokenEnd = close?.[0] === 4001 && close[1] === 'invalid_frame' && broken === BROKEN_FRAMES_MAX
      const hasGuessed = frames.slice(0, i + 1).some(({ t }) => t === 'join')
      const isGuessEnd = close?.[0] === 4029 && close[1] === 'rate_limited' && hasGuessed
      if (!isBrokenEnd && !isGuessEnd)
        said(isLate ? 'no answer' : 'the connection ended', frame, { answers, close })
      return { answered: answered + 1, codes: [...codes, `closed ${close?.[0]}`] }
    }
    answered++
    const problem = problemOf(frame, answers)
    if (problem !== undefined) said(problem, frame, answers)
    if (answers.some(isBroken)) broken++
    codes.push(...answers.flatMap(codeOf))
  }
  return { answered, codes }
}

const isBroken = (receivedEvents: ServerFrame) => codeOf(receivedEvents)[0] === 'invalid_frame'
const codeOf = ({ t, code, error, ok }: ServerFrame): string[] => {
  if (t === 'warn') return [String(code)]
  if (t === 'reply') return [ok ? 'ok' : String((error as { code: string }).code)]
  return []
}

/** A null rid counts as absent. */
const hasRid = ({ rid }: GeneratedFrame) => rid !== undefined && rid !== null
/** The frame is not a JSON object, or its rid cannot be returned. */
const isRefusedUnanswered = (receivedEvents: ServerFrame) =>
  ['invalid_frame', 'invalid_request'].includes(String(codeOf(receivedEvents)[0]))

/** A frame with a rid gets one reply. A frame without one gets at most a warning. */
function problemOf(frame: GeneratedFrame, answers: ServerFrame[]): string | undefined {
  const replies = answers.filter(({ t }) => t === 'reply')
  const warnings = answers.filter(({ t }) => t === 'warn')
  for (const receivedEvents of answers) {
    const problem = frameProblem(receivedEvents, receivedEvents.t === 'reply' ? frame.t : undefined)
    if (problem !== undefined) return problem
  }
  if (replies.some(({ rid }) => JSON.stringify(rid) !== JSON.stringify(frame.rid))) return 'another rid'
  if (isGoodRid(frame.rid) && replies.length !== 1) return `${replies.length} replies`
  if (hasRid(frame) && replies.length + warnings.filter(isRefusedUnanswered).length !== 1)
    return `${answers.length} answers`
  if (!hasRid(frame) && replies.length > 0) return 'a reply to no rid'
  return warnings.length > 1 ? 'more than one warning' : undefined
}

const isGoodRid = (rid: unknown): boolean =>
  typeof rid === 'string'
    ? Array.from(rid).length <= 64 && rid.isWellFormed() && !rid.includes('\0')
    : Number.isSafeInteger(rid)

/**
 * Sends bytes on a connection with or without authentication. Returns the name of the attack and the close code, for the report.
 */
export async function attackWith(
  who: ConnectionTarget | Pick<ConnectionTarget, 'port'>,
  { name, pieces, end }: Attack,
  problems: string[],
): Promise<string> {
  const isAlive = (receivedEvents: ServerFrame[]) => receivedEvents.some((received) => isMarker(received, 0))
  const isIn = (receivedEvents: ServerFrame[]) => receivedEvents.some(({ t }) => t === 'welcome')
  const { receivedEvents, close, isLate } = await exchangeFrames(
    who.port,
    [...('auth' in who ? [authOf(who)] : []), ...pieces, ...(end === 'open' ? [marker(0)] : [])],
    (all) => (end === 'open' && isAlive(all)) || (end === 'cut' && isIn(all)),
  )
  const isRight = {
    open: isAlive(receivedEvents),
    cut: isEndOfNoise(close?.[0]),
    abuse: close?.[0] === 1008 || close?.[0] === 4029,
  }
  const problem =
    receivedEvents.flatMap((received) => (received.t === 'reply' ? [] : (frameProblem(received) ?? [])))[0] ??
    (isLate
      ? 'no end'
      : (typeof end === 'number' ? close?.[0] === end : isRight[end])
        ? undefined
        : 'another end')
  if (problem !== undefined)
    problems.push(
      `${problem}\n    ${name}, should be ${end}: ${Buffer.concat(pieces).toString('hex').slice(0, 400)}\n    → ${JSON.stringify({ receivedEvents, close }).slice(0, 500)}`,
    )
  return `${name}: ${close?.[0] ?? 'no close'}`
}
