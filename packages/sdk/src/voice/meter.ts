/**
 * Measures how loud the microphone is, for browsers whose statistics of what they send do not contain it (Firefox). The sound goes
 * through a connection of the page to itself, and the statistics of what it receives contain it. An `AudioContext` is simpler, but
 * it needs a gesture and an output device. Nothing is opened until it is used.
 */
export function createMeter() {
  let loop: ReturnType<typeof openLoop> | undefined
  let sent: MediaStreamTrack | null = null

  return {
    /** From 0 to 1; 0 without a track. */
    async levelOf(track: MediaStreamTrack | null): Promise<number> {
      if (track) loop ??= openLoop()
      if (track !== sent) {
        sent = track
        await loop?.setTrack(track)
      }
      return track && loop ? loop.level() : 0
    },
    close() {
      loop?.close()
    },
  }
}

function openLoop() {
  const [from, to] = [new RTCPeerConnection(), new RTCPeerConnection()]
  const { sender } = from.addTransceiver('audio', { direction: 'sendonly' })
  from.onicecandidate = ({ candidate }) => candidate && to.addIceCandidate(candidate).catch(() => {})
  to.onicecandidate = ({ candidate }) => candidate && from.addIceCandidate(candidate).catch(() => {})

  async function connect() {
    await from.setLocalDescription()
    await to.setRemoteDescription(from.localDescription as RTCSessionDescription)
    await to.setLocalDescription()
    await from.setRemoteDescription(to.localDescription as RTCSessionDescription)
  }
  // If it fails, the level stays 0.
  connect().catch(() => {})

  return {
    setTrack: (track: MediaStreamTrack | null) => sender.replaceTrack(track).catch(() => {}),
    async level(): Promise<number> {
      for (const report of (await to.getStats()).values())
        if (report.type === 'inbound-rtp') return report.audioLevel ?? 0
      return 0
    },
    close() {
      from.close()
      to.close()
    },
  }
}
