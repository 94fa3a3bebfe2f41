const CHANNEL = '@talk'

/** A voice call beside the chat: everybody who presses "Talk" is in it. `changed` is called when somebody comes, leaves or speaks. */
export function createTalk(svc, { changed, complain }) {
  let call

  /** Voice needs a channel with @, which somebody must create: the first visitor does. */
  async function channel() {
    try {
      return await svc.channels.join(CHANNEL)
    } catch (error) {
      if (error.code !== 'channel_not_found') throw error
    }
    try {
      return await svc.channels.create({ channel: CHANNEL, voice: true })
    } catch (error) {
      // Another visitor was faster.
      if (error.code !== 'channel_exists') throw error
      return svc.channels.join(CHANNEL)
    }
  }

  return {
    get isIn() {
      return call !== undefined
    },
    get isMuted() {
      return call?.isMuted ?? false
    },
    get members() {
      return call?.members ?? []
    },
    /** Call it in a click handler: the browser asks for the microphone. */
    async join({ blocked }) {
      const joined = await channel()
      call = await joined.voice.join()
      for (const event of ['members', 'speaking', 'muted', 'reconnected']) call.on(event, changed)
      call.on('playback_blocked', blocked)
      call.on('warn', complain)
      call.on('closed', () => {
        call = undefined
        changed()
      })
      changed()
    },
    toggleMute() {
      if (call?.isMuted) call.unmute()
      else call?.mute()
    },
    hear: () => call?.resumePlayback(),
    leave: () => call?.leave(),
  }
}
