import type { ErrorCode } from '@svc/contract/errors'

import { ApiError } from '../api-error.ts'
import type { ConnectionRef } from './actor.ts'
import { ActorMovedError } from './local-actor.ts'

/** What nodes tell each other, as JSON. `name` is an actor's. */
export type NodeMessage =
  | { type: 'ask'; id: number; name: string; message: unknown }
  | { type: 'survey'; id: number; kind: string; environmentId: string; question: unknown }
  | { type: 'answer'; id: number; answer: Outcome }
  /** To the node of a connection: it belongs to the actor now, or no more. */
  | { type: 'joined'; name: string; ref: ConnectionRef }
  | { type: 'left'; name: string; ref: ConnectionRef }
  | { type: 'say'; refs: ConnectionRef[]; text: string }
  | { type: 'close'; ref: ConnectionRef; code: number; reason: string }
  /** To the owner of an actor. */
  | { type: 'gone'; name: string; ref: ConnectionRef }
  /** From a node that no longer owns these: their members must look for them anew. */
  | { type: 'lost'; names: string[] }

export type Outcome =
  | { ok: true; value: unknown }
  | { ok: false; code: ErrorCode; details: Record<string, unknown> | undefined }
  | { moved: true }

export async function outcomeOf(work: () => unknown): Promise<Outcome> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    if (error instanceof ActorMovedError) return { moved: true }
    if (error instanceof ApiError) return { ok: false, code: error.code, details: error.details }
    throw error
  }
}

export function valueOf(outcome: Outcome): unknown {
  if ('moved' in outcome) throw new ActorMovedError()
  if (!outcome.ok) throw new ApiError(outcome.code, outcome.details)
  return outcome.value
}
