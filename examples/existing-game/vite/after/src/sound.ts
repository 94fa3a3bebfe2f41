let audio: AudioContext | undefined

/** A short note; `step` is in half tones. */
export function play(step: number): void {
  audio ??= new AudioContext()
  const note = audio.createOscillator()
  const volume = audio.createGain()
  note.type = 'triangle'
  note.frequency.value = 220 * 2 ** (step / 12)
  volume.gain.setValueAtTime(0.12, audio.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.3)
  note.connect(volume).connect(audio.destination)
  note.start()
  note.stop(audio.currentTime + 0.3)
}
