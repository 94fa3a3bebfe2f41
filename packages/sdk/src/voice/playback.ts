/** A game that cancels touch events gets no `click`. */
const GESTURES = ['click', 'pointerup', 'touchend', 'keydown']

/** iOS ignores `volume`, but not `muted`. */
function setVolumeOf(element: HTMLAudioElement, volume: number) {
  element.volume = volume
  element.muted = volume === 0
}

/** Plays the voices of others, one `<audio>` each. No AudioContext: without a gesture it stays suspended, even with a microphone. */
export function createPlayback(blocked: () => void) {
  const elements = new Map<string, HTMLAudioElement>()
  let speakerId: string | undefined
  let isBlocked = false

  async function play(element: HTMLAudioElement) {
    try {
      await element.play()
    } catch (error) {
      if ((error as Error).name !== 'NotAllowedError' || isBlocked) return
      isBlocked = true
      GESTURES.forEach((gesture) => addEventListener(gesture, resume, { capture: true }))
      blocked()
    }
  }

  function stopWaiting() {
    isBlocked = false
    GESTURES.forEach((gesture) => removeEventListener(gesture, resume, { capture: true }))
  }

  function resume() {
    stopWaiting()
    for (const element of elements.values()) void play(element)
  }

  function setSpeakerOf(element: HTMLAudioElement) {
    if (speakerId !== undefined && 'setSinkId' in element) void element.setSinkId(speakerId).catch(() => {})
  }

  return {
    resume,
    get isBlocked() {
      return isBlocked
    },
    /** `key` is a slot or a player. */
    add(key: string, track: MediaStreamTrack, volume: number) {
      const element = elements.get(key) ?? new Audio()
      elements.set(key, element)
      element.srcObject = new MediaStream([track])
      setVolumeOf(element, volume)
      setSpeakerOf(element)
      void play(element)
    },
    setVolume(key: string, volume: number) {
      const element = elements.get(key)
      if (element) setVolumeOf(element, volume)
    },
    setSpeaker(deviceId: string) {
      speakerId = deviceId
      elements.forEach(setSpeakerOf)
    },
    remove(key: string) {
      const element = elements.get(key)
      if (element) element.srcObject = null
      elements.delete(key)
    },
    close() {
      stopWaiting()
      for (const key of elements.keys()) this.remove(key)
    },
  }
}

/** The sound of one call. Call `close` when the call ends; `resume` plays again after the browser blocked it. */
export type Playback = ReturnType<typeof createPlayback>
