import type { VoiceJoined, VoiceMember } from '@svc/contract/realtime/voice'

import { pause, thisPlatform } from '../http/platform.ts'
import type { VoiceFrame } from '../realtime/channel-events.ts'
import { onNetworkChange } from '../realtime/network-change.ts'
import type { Media, MediaDeps } from './media.ts'
import { openVoiceMesh } from './mesh.ts'
import { openRelay } from './relay.ts'

/** What `createCallConnection` takes. */
export type CallConnectionDeps = Pick<
  MediaDeps,
  'request' | 'playback' | 'track' | 'ownLevel' | 'volumeOf' | 'speaking'
> & {
  /** Aborted when the call has ended. */
  signal: AbortSignal
  reconnecting(): void
  reconnected(): void
  /** The connection could not be restored. */
  failed(reason: string): void
}

const REJOIN_FIRST_MS = 50
const REJOIN_SPREAD_MS = 250
const REJOIN_MAX_MS = 8_000
const REJOIN_FOR_MS = 60_000
/** For a relay server that is just restarting. */
const START_FOR_MS = 2_000
/** The codes of errors after which another attempt may succeed. */
const RETRIED = [
  'voice_unavailable',
  'service_unavailable',
  'network_error',
  'not_in_channel',
  'rate_limited',
  'internal_error',
]

/** The connection of a call, to the other members or to the relay server. After a loss it is made again. */
export function createCallConnection({
  signal,
  reconnecting,
  reconnected,
  failed,
  ...sound
}: CallConnectionDeps) {
  const { request } = sound
  const { now, random } = thisPlatform()
  let me = ''
  let media: Media | undefined
  /** What is being connected. Until it is, `media` goes on: both may work although the service was lost. */
  let next: Media | undefined
  const both = () => [media, next].filter((one) => one !== undefined)
  let members: readonly VoiceMember[] = []
  /** The last `voice_speakers`: the first one comes before the reply to voiceJoin, when there is no connection yet. */
  let speakers: VoiceFrame | undefined
  let isConnecting = true
  /** The current attempt to connect will fail, or has failed, because of a loss. */
  let isLost = false
  let retryNow = () => {}
  /** When the first attempt to connect failed; undefined once sound can be heard again, or nobody else is in the call. */
  let silentSince: number | undefined

  signal.addEventListener('abort', () => {
    retryNow()
    both().forEach((one) => one.close())
  })

  async function connect() {
    const joined: VoiceJoined = await request('voiceJoin', {})
    if (signal.aborted || media?.keeps(joined)) return
    const open = joined.mode === 'p2p' ? openVoiceMesh : openRelay
    const isLast = () => opened === (next ?? media)
    const opened = open(joined, {
      ...sound,
      me,
      now,
      connected: () => {
        if (isLast()) silentSince = undefined
      },
      silent: () => {
        if (isLast()) silentSince ??= now()
      },
      failed: () => {
        if (isLast()) mediaFailed()
      },
    })
    next = opened
    opened.setMembers(members)
    if (speakers) opened.receive(speakers)
    try {
      await opened.ready
    } catch (error) {
      opened.close()
      throw error
    } finally {
      next = undefined
    }
    media?.close()
    media = opened
  }

  /** A mesh joins again without hearing anybody, so each attempt succeeds: the minute begins with the first failure. */
  function mediaFailed() {
    const silentMs = now() - (silentSince ?? Infinity)
    if (silentMs > REJOIN_FOR_MS) failed('network_error')
    else void rejoin()
  }

  /** After a loss. If an attempt to connect is running, it fails and is repeated. */
  async function rejoin() {
    isLost = true
    retryNow()
    if (signal.aborted) return
    if (isConnecting) return next?.close()
    isConnecting = true
    reconnecting()
    try {
      await connectAgain()
      if (signal.aborted) return
      isConnecting = false
      reconnected()
    } catch (error) {
      failed(codeOf(error))
    }
  }

  async function connectAgain(forMs = REJOIN_FOR_MS): Promise<void> {
    const until = now() + forMs
    let waitMs = REJOIN_FIRST_MS + random() * REJOIN_SPREAD_MS
    for (; ; waitMs = Math.min(REJOIN_MAX_MS, waitMs * 2)) {
      const toldToRetry = new Promise<void>((resolve) => void (retryNow = resolve))
      await Promise.race([pause(waitMs), toldToRetry])
      if (signal.aborted) return
      try {
        return await connect()
      } catch (error) {
        if (!RETRIED.includes(codeOf(error)) || now() > until) throw error
      }
    }
  }

  return {
    /** Undefined while there is no connection. */
    get media(): Media | undefined {
      return media
    },

    /** Connects for the first time. Errors are thrown, but a loss during the attempt is repaired, like a later one. */
    async start(playerId: string) {
      me = playerId
      onNetworkChange(() => void rejoin(), signal)
      try {
        await connect()
      } catch (error) {
        if (!isLost && codeOf(error) !== 'voice_unavailable') throw error
        await connectAgain(isLost ? REJOIN_FOR_MS : START_FOR_MS)
      }
      isConnecting = false
    },

    rejoin,

    setMembers(current: readonly VoiceMember[]) {
      members = current
      if (current.length < 2) silentSince = undefined
      both().forEach((one) => one.setMembers(current))
    },

    async setTrack(track: MediaStreamTrack | null) {
      await Promise.all(both().map((one) => one.setTrack(track)))
    },

    receive(frame: VoiceFrame) {
      if (frame.t === 'voice_speakers') speakers = frame
      both().forEach((one) => one.receive(frame))
    },
  }
}

/**
 * Errors that are not from the service, such as a connection that was closed during the attempt, count as network errors. The
 * browser's own errors have a number as `code`.
 */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : 'network_error'
}
