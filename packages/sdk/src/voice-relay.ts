import type { VoiceJoined } from '@svc/contract/voice'

import type { VoiceFrame } from './channel-events.ts'
import type { MediaDeps, Media } from './voice-media.ts'

const CONNECT_TIMEOUT_MS = 10_000
const DISCONNECTED_MS = 3_000

/** The connection to the relay server. The client offers first; then the server's offer adds the slots. Nothing is negotiated later. */
export function openRelay(joined: VoiceJoined, deps: MediaDeps): Media {
  const { request, playback, failed, volumeOf } = deps
  const { iceServers, iceTransportPolicy } = joined
  const connection = new RTCPeerConnection({ iceServers, iceTransportPolicy, bundlePolicy: 'max-bundle' })
  const microphone = connection.addTransceiver('audio', {
    direction: 'sendonly',
    sendEncodings: [{ maxBitrate: 32_000 }],
  })
  const offered = Promise.withResolvers<string>()
  /** The browser never settles what a connection was asked before it was closed. */
  const closed = Promise.withResolvers<never>()
  closed.promise.catch(() => {})
  let slots: (string | null)[] = []
  let timer = setTimeout(failed, CONNECT_TIMEOUT_MS)
  let gen = 0

  connection.ontrack = ({ track, transceiver }) => playback.add(transceiver.mid ?? '', track, 1)
  connection.onconnectionstatechange = () => {
    const { connectionState } = connection
    clearTimeout(timer)
    if (connectionState === 'failed') failed()
    if (connectionState === 'disconnected') timer = setTimeout(failed, DISCONNECTED_MS)
  }

  async function connect() {
    await microphone.sender.replaceTrack(deps.track())
    await connection.setLocalDescription()
    const { sdp } = await request('voicePublish', { sdp: connection.localDescription?.sdp ?? '' })
    await connection.setRemoteDescription({ type: 'answer', sdp })
    await connection.setRemoteDescription({ type: 'offer', sdp: await offered.promise })
    await connection.setLocalDescription()
    await request('voiceAnswer', { gen, sdp: connection.localDescription?.sdp ?? '' })
  }

  return {
    ready: Promise.race([connect(), closed.promise]),
    receive(frame: VoiceFrame) {
      if (frame.t === 'voice_sfu_offer') {
        gen = frame.gen
        offered.resolve(frame.sdp)
      }
      if (frame.t !== 'voice_speakers') return
      const before = slots
      slots = frame.slots
      slots.forEach((playerId, at) => playerId !== null && playback.setVolume(`s${at}`, volumeOf(playerId)))
      for (const id of before) if (id !== null && !slots.includes(id)) deps.speaking(id, false)
      for (const id of slots) if (id !== null && !before.includes(id)) deps.speaking(id, true)
    },
    setTrack: (track) => microphone.sender.replaceTrack(track),
    setMembers: () => {},
    setVolume(playerId, volume) {
      const at = slots.indexOf(playerId)
      if (at >= 0) playback.setVolume(`s${at}`, volume)
    },
    async levels() {
      const levels = new Map<string, number>()
      for (const report of (await connection.getStats()).values()) {
        if (report.type === 'media-source') levels.set(deps.me, report.audioLevel ?? 0)
        if (report.type !== 'inbound-rtp') continue
        const playerId = slots[Number(String(report.mid).slice(1))]
        if (playerId) levels.set(playerId, report.audioLevel ?? 0)
      }
      return levels
    },
    close() {
      clearTimeout(timer)
      closed.reject(new Error('closed'))
      connection.onconnectionstatechange = null
      connection.close()
    },
  }
}
