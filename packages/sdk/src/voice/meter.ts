/** A player who is no longer alone in a call is measured by the connection to the others. */
const UNUSED_MS = 2_000

/**
 * Measures how loud the microphone is, for a player who is alone in a call and has no connection yet, and for browsers whose
 * statistics of what they send do not contain it (Firefox). The sound goes through a connection of the page to itself, whose
 * statistics contain it. An `AudioContext` is simpler, but it needs a gesture and an output device. It is open while it is used.
 */
export function createMeter() {
  let loop: ReturnType<typeof openLoop> | undefined
  let sent: MediaStreamTrack | null = null
  let unused: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  function closeLoop() {
    clearTimeout(unused)
    loop?.close()
    loop = undefined
    sent = null
  }

  return {
    /** From 0 to 1; 0 without a track. */
    async levelOf(track: MediaStreamTrack | null): Promise<number> {
      if (isOver) return 0
      if (track) loop ??= openLoop()
      clearTimeout(unused)
      if (loop) unused = setTimeout(closeLoop, UNUSED_MS)
      if (track !== sent) {
        sent = track
        await loop?.setTrack(track)
      }
      return track && loop ? loop.level() : 0
    },
    /** For good: a level that is being read when the call ends must not open a connection again. */
    close() {
      isOver = true
      closeLoop()
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
      // Chrome has it only for what it sends, Firefox only for what it receives.
      for (const connection of [from, to])
        for (const { audioLevel } of (await connection.getStats()).values())
          if (audioLevel !== undefined) return audioLevel
      return 0
    },
    close() {
      from.close()
      to.close()
    },
  }
}
