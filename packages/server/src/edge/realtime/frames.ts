import type { FieldsOf, Frame, ReplyOf } from '@svc/contract/common/frame'

import { ApiError } from '../../platform/api-error.ts'
import { inEnvironment } from '../../platform/current-environment.ts'
import type { Environment } from '../../platform/environment.ts'
import type { RawJson } from '../../platform/http/raw-json.ts'
import type { Player } from '../../platform/player.ts'
import type { REPLY_FOLLOWS } from '../../platform/reply-follows.ts'
import { carriedMember, carriedMembers } from '../json/carried.ts'
import { type Checker, checkerOf } from '../json/checker.ts'
import { requireInterpretable } from '../json/interpreted.ts'
import type { Connection, Identity } from './connection.ts'

/** The input of a handler, authenticated and validated by the edge. */
type FrameContext<F extends Frame> = {
  connection: Connection
  environment: Environment
  /** The caller's name, as its connection has it. */
  displayName: string | null
  /** The sender waits for a reply to this id. */
  rid: string | number | undefined
  fields: InterpretedFields<F>
} & (F extends { player: true } ? { player: Player } : { player: Player | null }) &
  (F extends { rawMember: string } ? { raw: string | undefined } : unknown) &
  (F extends { rawMembersOf: string } ? { members: [name: string, text: string][] } : unknown)

/** The member that is passed on as text is not among them: handlers use `raw`. */
type InterpretedFields<F extends Frame> = F extends { rawMember: infer Member extends string }
  ? Omit<FieldsOf<F>, Member>
  : FieldsOf<F>

type Reply<F extends Frame> = ReplyOf<F> | RawJson | typeof REPLY_FOLLOWS
type Handled<F extends Frame> = Reply<F> | Promise<Reply<F>>

/** Binds a frame of the contract to its handler. A handler may be synchronous: there is no promise on the hot path. */
export type OnFrame = <F extends Frame>(frame: F, handle: (request: FrameContext<F>) => Handled<F>) => void

/** The enabled features of an environment, as this node knows them. */
type FeatureCheck = (environmentId: string, feature: NonNullable<Frame['feature']>) => void

/** `raw` is the text of `data` of a plain message: `fields` do not have it then. */
type ReceivedFrame = { fields: { t: string }; rid: string | number | undefined; text: string; raw?: string }

type Bound = { frame: Frame; handle: (request: never) => unknown; check: Checker | undefined }

const PROBLEMS_MAX = 20
const WORD_LENGTH_MAX = 64

/** A word of a request, shortened for an error message without splitting a character. */
export const shortened = (word: string): string => word.slice(0, WORD_LENGTH_MAX).toWellFormed()

/** The handlers of frames, by the type of the frame. */
export function createFrames(requireFeature: FeatureCheck) {
  const byType = new Map<string, Bound>()

  let isPrepared = false

  return {
    on: ((frame, handle) => void byType.set(frame.t, { frame, handle, check: undefined })) as OnFrame,

    /** Runs at the first connection, to keep the start fast. */
    async prepare() {
      if (isPrepared) return
      for (const bound of byType.values()) bound.check ??= await checkerOf(bound.frame.fields, PROBLEMS_MAX)
      isPrepared = true
    },

    /** Returns the reply or a promise of it. Refusals are thrown or rejected. */
    handle(
      connection: Connection,
      identity: Identity,
      { fields: received, rid, text, raw: plainData }: ReceivedFrame,
    ): unknown {
      const bound = byType.get(received.t)
      if (!bound) throw new ApiError('unknown_type', { t: shortened(received.t) })
      const { frame, handle, check } = bound
      const { environment, player, displayName } = identity
      if (frame.feature) requireFeature(environment.id, frame.feature)
      if (frame.player && !player) throw new ApiError('player_required')
      const { rawMember, rawMembersOf } = frame
      const isPlain = plainData !== undefined
      // What a plain message has can be interpreted, and its data are not deep. It changes only memory, so its environment is not noted.
      if (isPlain && rawMember === 'data' && check?.fits(received))
        return handle({
          connection,
          environment,
          player,
          displayName,
          rid,
          fields: received,
          raw: plainData,
        } as never)

      const fields = isPlain ? (JSON.parse(text) as object) : received
      requireInterpretable(fields, text, rawMember ?? rawMembersOf)
      if (check && !check.fits(fields))
        throw new ApiError('invalid_request', { errors: check.problems(fields) })

      const raw = rawMember === undefined ? undefined : carriedMember(text, rawMember)
      const members = rawMembersOf === undefined ? undefined : carriedMembers(text, rawMembersOf)
      // Like above, the only cast of this edge; the checks justify it.
      const context = { connection, environment, player, displayName, rid, fields, raw, members } as never
      return inEnvironment(environment.id, () => handle(context))
    },
  }
}
