import type { VoiceJoined } from '@svc/contract/realtime/voice'

import type { VoiceFrame } from '../realtime/channel-events.ts'
import type { MediaDeps, Media } from './media.ts'

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
  const offered = openPromise<string>()
  const connected = openPromise<void>()
  connected.promise.catch(() => {})
  let slots: (string | null)[] = []
  let timer = setTimeout(lost, CONNECT_TIMEOUT_MS)
  let isConnected = false
  let gen = 0

  const ownerOf = (mid: unknown) => slots[Number(String(mid).slice(1))]
  const volumeOfSlot = (mid: unknown) => {
    const playerId = ownerOf(mid)
    return playerId ? volumeOf(playerId) : 1
  }

  /** Before it was connected, `ready` fails. The browser never settles what a connection was asked before it was closed. */
  function lost() {
    deps.silent()
    connected.reject(new Error('The relay server for voice cannot be reached.'))
    if (isConnected) failed()
  }

  // Until then the former connection is heard.
  connection.ontrack = ({ track, transceiver: { mid } }) =>
    connected.promise.then(
      () => playback.add(mid ?? '', track, volumeOfSlot(mid)),
      () => {},
    )
  connection.onconnectionstatechange = () => {
    const { connectionState } = connection
    if (connectionState === 'connecting') return
    clearTimeout(timer)
    if (connectionState === 'connected') {
      isConnected = true
      connected.resolve()
      deps.connected()
    }
    if (connectionState === 'failed') lost()
    if (connectionState === 'disconnected') timer = setTimeout(lost, DISCONNECTED_MS)
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
    ready: Promise.all([connect(), connected.promise]).then(() => {}),
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
    keeps: () => false,
    setTrack: (track) => microphone.sender.replaceTrack(track),
    setMembers: () => {},
    setVolume(playerId, volume) {
      const at = slots.indexOf(playerId)
      if (at >= 0) playback.setVolume(`s${at}`, volume)
    },
    async levels() {
      const levels = new Map<string, number>()
      for (const report of (await connection.getStats()).values()) {
        if (report.type === 'media-source') levels.set(deps.me, report.audioLevel ?? (await deps.ownLevel()))
        if (report.type !== 'inbound-rtp') continue
        const playerId = ownerOf(report.mid)
        if (playerId) levels.set(playerId, report.audioLevel ?? 0)
      }
      return levels
    },
    close() {
      clearTimeout(timer)
      connected.reject(new Error('closed'))
      connection.onconnectionstatechange = null
      connection.close()
    },
  }
}

/** `Promise.withResolvers`, which Safari has since 17.4 only. */
function openPromise<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((fulfil, fail) => ([resolve, reject] = [fulfil, fail]))
  return { promise, resolve, reject }
}
