import { messageOf } from '@svc/contract/common/error-messages'
import { ERRORS, type ErrorCode } from '@svc/contract/common/errors'
import { frameErrorsOf } from '@svc/contract/common/frame'
import { FRAME_PARTS, FRAMES } from '@svc/contract/common/frames'
import { BanWarningDetails } from '@svc/contract/realtime/realtime'

import { misfit } from './schema-check.ts'

const events = new Map(
  FRAME_PARTS.flatMap((part) => part.events.map(({ t, fields }) => [t, fields] as const)),
)
const frames = new Map(
  FRAMES.map((frame) => [frame.t, { reply: frame.reply, codes: frameErrorsOf(frame) }] as const),
)

type Refusal = { code: ErrorCode; message: string; details?: Record<string, unknown> }
/** A frame that the service sent. */
export type ServerFrame = { t: string; [field: string]: unknown }

/** The problem of a frame of the service according to the contract, as an event or as the reply to a request of type `asked`. */
export function frameProblem(received: ServerFrame, asked?: string): string | undefined {
  const event = events.get(received.t)
  const problem = event ? misfit(event, received) : `the contract knows no event ${received.t}`
  return problem ?? problemOfAnswer(received, asked)
}

function problemOfAnswer(received: ServerFrame, asked: string | undefined): string | undefined {
  if (received.t === 'warn' && received['code'] === 'player_banned')
    return misfit(BanWarningDetails, received['details'])
  if (received.t === 'warn')
    return refusalProblem(received as unknown as Refusal, asked ?? String(received['request']))
  if (received.t !== 'reply' || asked === undefined) return undefined
  if (!received['ok']) return refusalProblem(received['error'] as Refusal, asked)
  const frame = frames.get(asked)
  return frame
    ? misfit(frame.reply, received['data'])
    : `${asked}, which is not a frame, was answered with ok`
}

function refusalProblem({ code, message, details }: Refusal, asked: string): string | undefined {
  // The first problem is the message of an invalid frame.
  const [first] = (details?.['errors'] ?? []) as { message: string }[]
  const isFirst = code === 'invalid_request' && first !== undefined && message.startsWith(`${first.message}.`)
  if (!(code in ERRORS) || (messageOf(code, details) !== message && !isFirst))
    return `${code}: ${message} is not in the contract`
  if (code === 'internal_error') return 'internal_error'
  if (WARNINGS.includes(code)) return undefined
  const codes = frames.get(asked)?.codes ?? UNKNOWN_FRAME
  return codes.includes(code) ? undefined : `the contract does not name ${code} for ${asked}`
}

/** The `rid` of a frame is checked before its type. */
const UNKNOWN_FRAME: readonly string[] = ['unknown_type', 'invalid_request']

/** Warnings about the connection, not about a request. */
const WARNINGS: readonly string[] = ['invalid_frame', 'rate_limited', 'server_restarting']
