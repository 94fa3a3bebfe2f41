import type { FieldsOf } from '@svc/contract/common/frame'
import { LIMITS } from '@svc/contract/common/limits'
import type { VoiceJoined, voicePublish, voiceSignal } from '@svc/contract/realtime/voice'

import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { JoinCounts } from './metrics.ts'
import type { CallRequest, Published } from './requests.ts'

/** A connection of this node, as calls see it. */
type VoiceConnection = {
  localAddress: string
  sendEvent(event: object): void
  identity: { environment: Environment } | undefined
}
export type VoiceCaller<Connection> = { connection: Connection; environment: Environment }

type VoiceDeps<Connection> = {
  askCall<Answer extends object>(
    caller: VoiceCaller<Connection>,
    channel: string,
    request: CallRequest,
  ): Promise<Answer>
  countJoin: JoinCounts['count']
}

export type Voice<Connection extends VoiceConnection> = ReturnType<typeof createVoice<Connection>>

/** What a connection can do with calls on any node. */
export function createVoice<Connection extends VoiceConnection>({
  askCall,
  countJoin,
}: VoiceDeps<Connection>) {
  type Caller = VoiceCaller<Connection>
  /** The channels with calls that have connections of this node, as far as this node knows. */
  const inCalls = new WeakMap<Connection, Set<string>>()

  function left(connection: Connection, channel: string): boolean {
    return inCalls.get(connection)?.delete(channel) ?? false
  }

  /** To clients that must join again. */
  function sendUnavailable(connection: Connection, channel: string) {
    connection.sendEvent({ t: 'voice_closed', channel, reason: 'unavailable' })
  }

  return {
    async join(caller: Caller, channel: string): Promise<VoiceJoined> {
      const { connection, environment } = caller
      const { localAddress } = connection
      const request: CallRequest = { type: 'join', projectId: environment.projectId, localAddress }
      try {
        const joined = await askCall<VoiceJoined>(caller, channel, request)
        inCalls.set(connection, (inCalls.get(connection) ?? new Set()).add(channel))
        countJoin(joined.mode, 'ok')
        return joined
      } catch (error) {
        countJoin('none', error instanceof ApiError ? error.code : 'internal_error')
        throw error
      }
    },

    /** Does nothing if the connection is not in the call. */
    async leave(caller: Caller, channel: string): Promise<object> {
      left(caller.connection, channel)
      await askCall(caller, channel, { type: 'leave' }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
      })
      return {}
    },

    /** `data` is JSON text. */
    signal(caller: Caller, { channel, to, kind, gen }: FieldsOf<typeof voiceSignal>, data = 'null') {
      const limit = LIMITS.signalDataBytesMax
      if (Buffer.byteLength(data) > limit) throw new ApiError('payload_too_large', { limit })
      return askCall(caller, channel, { type: 'signal', to, kind, data, gen: gen ?? null })
    },

    async publish(caller: Caller, { channel, sdp }: FieldsOf<typeof voicePublish>): Promise<{ sdp: string }> {
      const { connection } = caller
      const { localAddress } = connection
      const {
        offer,
        gen,
        sdp: answer,
      } = await askCall<Published>(caller, channel, { type: 'publish', sdp, localAddress })
      // After the reply.
      setImmediate(() => connection.sendEvent({ t: 'voice_sfu_offer', channel, gen, sdp: offer }))
      return { sdp: answer }
    },

    answer: (caller: Caller, { channel, gen, sdp }: { channel: string; gen: number; sdp: string }) =>
      askCall(caller, channel, { type: 'answer', gen, sdp }),

    speaking: (caller: Caller, { channel, speaking }: { channel: string; speaking: boolean }) =>
      askCall(caller, channel, { type: 'speaking', speaking }),

    /** The channel has another owner or is lost, and so is its call. */
    channelMoved(connection: Connection, channel: string) {
      if (left(connection, channel)) sendUnavailable(connection, channel)
    },

    /** The feature was turned off. */
    async closeFor(connections: readonly Connection[]) {
      for (const connection of connections) {
        const { environment } = connection.identity ?? {}
        if (!environment) continue
        for (const channel of inCalls.get(connection) ?? []) {
          await this.leave({ connection, environment }, channel)
          sendUnavailable(connection, channel)
        }
      }
    },
  }
}
