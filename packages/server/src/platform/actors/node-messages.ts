import type { ErrorCode } from '@svc/contract/common/errors'

import { ApiError } from '../api-error.ts'
import { ActorMovedError, type ConnectionRef } from './actor.ts'

/**
 * Why the members of an actor on other nodes must rejoin it: another node may own it by now; its node stops; or it stays where it
 * is, but messages between the nodes may have been lost.
 */
export type RejoinReason = 'moved' | 'stopping' | 'reclaimed'

/** What nodes send each other, as JSON; a change here follows the rules of NODE_PROTOCOL. `name` is an actor's. `traceparent`: the trace that
 * the request belongs to, if the sender records traces. */
export type NodeMessage =
  | { type: 'ask'; id: number; name: string; message: { type: string }; traceparent?: string }
  | { type: 'query'; id: number; query: string; question: unknown; traceparent?: string }
  | { type: 'answer'; id: number; answer: Outcome }
  /** To the node of a connection: it is a member of the actor now, or no longer. */
  | { type: 'joined'; name: string; ref: ConnectionRef }
  | { type: 'left'; name: string; ref: ConnectionRef }
  | { type: 'say'; refs: ConnectionRef[]; text: string }
  | { type: 'close'; ref: ConnectionRef; code: number; reason: string }
  /** To the owner of an actor: a member's connection has closed. Nodes of earlier versions do not say whether it was lost. */
  | { type: 'gone'; name: string; ref: ConnectionRef; wasLost?: boolean }
  /** Members on the receiving node must rejoin these actors. */
  | { type: 'rejoin'; names: string[]; reason: RejoinReason }

/** The node message of one type. */
export type NodeMessageOf<Type extends NodeMessage['type']> = Extract<NodeMessage, { type: Type }>

/** The answer of another node: a value, an `ApiError`, or `moved` if that node does not own the actor. */
export type Outcome =
  | { ok: true; value: unknown }
  | { ok: false; code: ErrorCode; details: Record<string, unknown> | undefined }
  | { moved: true }

/** Converts the result of `work` to an answer. Throws errors that are neither `ApiError` nor `ActorMovedError`. */
export async function outcomeOf(work: () => unknown): Promise<Outcome> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    if (error instanceof ActorMovedError) return { moved: true }
    if (error instanceof ApiError) return { ok: false, code: error.code, details: error.details }
    throw error
  }
}

/** Returns the value of an answer, or throws its error: `ApiError`, or `ActorMovedError` if the actor has moved. */
export function valueOf(outcome: Outcome): unknown {
  if ('moved' in outcome) throw new ActorMovedError()
  if (!outcome.ok) throw new ApiError(outcome.code, outcome.details)
  return outcome.value
}
