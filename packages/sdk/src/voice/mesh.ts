import type { VoiceJoined } from '@svc/contract/realtime/voice'

import { createIceConfiguration, Peer, PEER_TIMES, receiveSignal, type Signal } from '../realtime/peer.ts'
import type { Media, MediaDeps } from './media.ts'

const CANDIDATES_TOGETHER_MS = 50
const REBUILDS_MAX = 4
const SPEAKING_LEVEL = 0.02
const SPEAKING_HELD_MS = 600
/**
 * A member whose connection to the service was lost is not listed until it has joined again; the sound does not need the service. Who
 * leaves ends the own side immediately.
 */
const LEAVE_AFTER_MS = 3_000

type Entry = {
  peer: Peer
  connection: RTCPeerConnection | undefined
  rebuilds: number
  canSpeak: boolean
  spokeAt: number
  /** Set while the service does not list the member. */
  leaving: ReturnType<typeof setTimeout> | undefined
}

/** A connection to each other member. */
export function openVoiceMesh(joined: VoiceJoined, deps: MediaDeps): Media {
  const { me, request, playback, now, volumeOf } = deps
  const entries = new Map<string, Entry>()
  const ice = createIceConfiguration(joined, () => request('voiceJoin', {}), now)
  let mayISpeak = true
  let iSpokeAt = -Infinity

  /** In a mesh no server can stop the sound of a muted member: the receivers do. */
  const volumeNow = (playerId: string) => (entries.get(playerId)?.canSpeak ? volumeOf(playerId) : 0)

  /** A generation is a time, so that a client that joins again has a later one than the others remember. */
  function add(
    playerId: string,
    gen = now(),
    {
      isFirst = true,
      rebuilds = 0,
      canSpeak = true,
    }: { isFirst?: boolean; rebuilds?: number | undefined; canSpeak?: boolean | undefined } = {},
  ) {
    remove(playerId)
    const send = batchCandidates(
      ({ kind, data }) => void request('voiceSignal', { to: playerId, kind, data, gen }).catch(() => {}),
    )
    const isPolite = me < playerId
    const attachTrack = (connection: RTCPeerConnection) => {
      for (const transceiver of connection.getTransceivers()) {
        transceiver.direction = 'sendrecv'
        void transceiver.sender.replaceTrack(deps.track())
      }
    }
    let connection: RTCPeerConnection | undefined
    const peer: Peer = new Peer({
      gen,
      isFirst,
      isPolite,
      times: PEER_TIMES,
      configuration: ice.current(),
      renew: ice.renewed,
      send,
      setUp(made) {
        connection = made
        made.addEventListener('connectionstatechange', () => {
          if (made.connectionState !== 'connected') return
          const entry = entries.get(playerId)
          if (entry?.connection === made) entry.rebuilds = 0
          deps.connected()
        })
        made.ontrack = ({ track }) => playback.add(playerId, track, volumeNow(playerId))
        // The polite side answers with the transceiver of the other side's offer.
        if (!isPolite) made.addTransceiver('audio', { sendEncodings: [{ maxBitrate: 32_000 }] })
        attachTrack(made)
      },
      beforeAnswer: attachTrack,
      isOpen: ({ connectionState }) => connectionState === 'connected',
      failed: () => rebuild(playerId, peer),
    })
    entries.set(playerId, {
      peer,
      connection,
      rebuilds,
      canSpeak,
      spokeAt: -Infinity,
      leaving: undefined,
    })
    return peer
  }

  function rebuild(playerId: string, peer: Peer) {
    const entry = entries.get(playerId)
    if (entry?.peer !== peer) return
    if (entry.leaving) return remove(playerId)
    // The call goes on with the members who can be reached.
    const isAlone = ![...entries.values()].some(({ peer }) => peer.isOpen)
    if (isAlone) deps.silent()
    if (isAlone && entry.rebuilds >= REBUILDS_MAX) return deps.failed()
    add(playerId, peer.gen + 1, { rebuilds: entry.rebuilds + 1, canSpeak: entry.canSpeak })
  }

  function remove(playerId: string) {
    const entry = entries.get(playerId)
    if (!entry) return
    clearTimeout(entry.leaving)
    entries.delete(playerId)
    entry.peer.close()
    playback.remove(playerId)
    deps.speaking(playerId, false)
  }

  function signalled(from: string, signal: Signal) {
    const { peer, rebuilds, canSpeak } = entries.get(from) ?? {}
    receiveSignal(peer, signal, (gen, isFirst) => add(from, gen, { isFirst, rebuilds, canSpeak }))
  }

  return {
    ready: Promise.resolve(),
    receive(frame) {
      if (frame.t !== 'voice_signal') return
      signalled(frame.from, { kind: frame.kind, data: frame.data, gen: frame.gen ?? 0 })
    },
    async setTrack(track) {
      for (const { connection } of entries.values())
        for (const { sender } of connection?.getTransceivers() ?? []) await sender.replaceTrack(track)
    },
    keeps(again) {
      if (again.mode !== 'p2p') return false
      ice.use(again)
      // A copy: `add` puts the new entry at the end.
      const former = [...entries]
      for (const [playerId, { peer, canSpeak }] of former)
        if (peer.isOpen) void peer.restart()
        else add(playerId, Math.max(now(), peer.gen + 1), { canSpeak })
      return true
    },
    setMembers(members) {
      for (const [id, entry] of entries) {
        if (members.some((member) => member.id === id)) {
          clearTimeout(entry.leaving)
          entry.leaving = undefined
        } else if (entry.peer.isOpen) entry.leaving ??= setTimeout(() => remove(id), LEAVE_AFTER_MS)
        else remove(id)
      }
      for (const { id, canSpeak } of members) {
        if (id === me) {
          mayISpeak = canSpeak
          continue
        }
        if (!entries.has(id)) add(id)
        const entry = entries.get(id)
        if (!entry || entry.canSpeak === canSpeak) continue
        entry.canSpeak = canSpeak
        playback.setVolume(id, volumeNow(id))
      }
    },
    setVolume: (playerId, volume) => {
      if (entries.get(playerId)?.canSpeak) playback.setVolume(playerId, volume)
    },
    async levels() {
      const levels = new Map<string, number>()
      for (const [playerId, entry] of entries) {
        if (entry.leaving) continue
        const stats = await entry.connection?.getStats()
        for (const report of stats?.values() ?? []) {
          if (report.type === 'media-source')
            levels.set(me, mayISpeak ? (report.audioLevel ?? (await deps.ownLevel())) : 0)
          if (report.type === 'inbound-rtp')
            levels.set(playerId, entry.canSpeak ? (report.audioLevel ?? 0) : 0)
        }
        if ((levels.get(playerId) ?? 0) >= SPEAKING_LEVEL) entry.spokeAt = now()
        deps.speaking(playerId, now() - entry.spokeAt < SPEAKING_HELD_MS)
      }
      // Alone in the call: no connection measures it.
      if (entries.size === 0) levels.set(me, mayISpeak ? await deps.ownLevel() : 0)
      if ((levels.get(me) ?? 0) >= SPEAKING_LEVEL) iSpokeAt = now()
      deps.speaking(me, now() - iSpokeAt < SPEAKING_HELD_MS)
      return levels
    },
    close: () => [...entries.keys()].forEach(remove),
  }
}

/** Sends the candidates of a short time in one signal, before any other signal that follows them. */
function batchCandidates(send: (signal: Signal) => void) {
  let candidates: Signal[] = []
  const flush = () => {
    const [one] = candidates
    if (one) send({ ...one, data: candidates.map(({ data }) => data) })
    candidates = []
  }
  return (signal: Signal) => {
    if (signal.kind !== 'candidate') {
      flush()
      return send(signal)
    }
    candidates.push(signal)
    if (candidates.length === 1) setTimeout(flush, CANDIDATES_TOGETHER_MS)
  }
}
