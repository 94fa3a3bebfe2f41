const CHANNEL = '@talk'

const ENDED = {
  time_limit: 'The call has reached its maximum duration. Press Talk for a new one.',
  suspended: 'Voice calls are paused.',
  feature_disabled: 'Voice calls are switched off.',
  kicked: 'You were removed from the call.',
  banned: 'You were removed from the call and cannot join it again.',
  player_banned: 'You are banned from this app.',
  replaced: 'You joined the call in another tab.',
}

/**
 * A voice call next to the chat, for everyone who presses "Talk". `changed` is called when someone joins, leaves or speaks, `tell` with a
 * sentence for the visitor, and `blocked` when the browser plays no sound before a click.
 */
export function createTalk(svc, { changed, tell, blocked }) {
  let call
  let isLost = false

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
    /** The call lost its connection and is reconnecting. */
    get isLost() {
      return isLost
    },
    /** Call it in a click handler: the browser asks for the microphone. */
    async join() {
      // The first visitor creates the channel, the others join it. Up to 8 people: the call is peer-to-peer and free.
      const joined = await svc.channels.joinOrCreate({ channel: CHANNEL, voice: true, maxMembers: 8 })
      call = await joined.joinVoice()
      isLost = false
      for (const event of ['members', 'speaking']) call.on(event, changed)
      call.on('muted', (isMuted, by) => {
        if (by === 'channel') tell(isMuted ? 'You may not speak at the moment.' : 'You may speak again.')
        changed()
      })
      for (const event of ['reconnecting', 'reconnected'])
        call.on(event, () => {
          isLost = event === 'reconnecting'
          changed()
        })
      call.on('playback_blocked', blocked)
      call.on('warn', (error) => tell(error.message))
      call.on('closed', (reason) => {
        call = undefined
        if (reason !== 'left') tell(ENDED[reason] ?? 'The call was lost. Press Talk to join it again.')
        changed()
      })
      changed()
    },
    setVolume: (playerId, volume) => call?.setVolume(playerId, volume),
    toggleMute() {
      if (call?.isMuted) call.unmute()
      else call?.mute()
    },
    hear: () => call?.resumePlayback(),
    leave: () => call?.leave(),
  }
}
