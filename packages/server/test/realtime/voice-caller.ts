import { comesTrue } from '../../src/testing/in-time.ts'
import type { VoiceBot, VoiceBots } from '../../src/testing/voice-bots.ts'
import { callAsBot } from '../../src/testing/voice.ts'
import type { ReconnectingPlayer } from './reconnecting-player.ts'

const LOOK_MS = 25

/**
 * A member of a relay-server call with real media. Like the SDK, it joins again when it is notified that the call is unavailable.
 */
export class VoiceCaller {
  readonly player: ReconnectingPlayer
  /** Its connections to relay servers; the last one is the current one. */
  readonly bots: VoiceBot[] = []
  readonly #channel: string
  readonly #all: VoiceBots
  #closed = 0

  constructor(all: VoiceBots, player: ReconnectingPlayer, channel: string) {
    this.#all = all
    this.player = player
    this.#channel = channel
  }

  get bot(): VoiceBot {
    const bot = this.bots.at(-1)
    if (!bot) throw new Error('this caller is in no call')
    return bot
  }

  /** Joins the channel and its call; repeats failed steps while nodes start and stop. */
  async enter() {
    await comesTrue('the caller is in the call', async () => {
      this.#closed = this.#closures()
      try {
        await this.player.socket.request({ t: 'channelJoin', channel: this.#channel })
        this.bots.push(await this.#join())
        return true
      } catch {
        return false
      }
    })
  }

  /** Rejects if the call is closed before media flows. */
  async #join(): Promise<VoiceBot> {
    const joining = callAsBot(this.#all, this.player.socket, this.#channel)
    let watching: NodeJS.Timeout | undefined
    const closed = new Promise<never>((_, reject) => {
      watching = setInterval(() => this.isClosed && reject(new Error('the call was closed')), LOOK_MS)
    })
    try {
      return await Promise.race([joining, closed])
    } finally {
      clearInterval(watching)
    }
  }

  /** True if it was notified that the call is unavailable, and has joined again. */
  async enterAgainIfClosed(): Promise<boolean> {
    if (!this.isClosed) return false
    await this.enter()
    return true
  }

  get isClosed(): boolean {
    return this.#closures() > this.#closed
  }

  /** The ids of the members in the last event. */
  get members(): string[] {
    const state = this.player.receivedEvents.findLast(({ t }) => t === 'voice_state')
    return (state?.['members'] ?? []).map(({ id }: { id: string }) => id)
  }

  #closures = (): number =>
    this.player.receivedEvents.filter(({ t, reason }) => t === 'voice_closed' && reason === 'unavailable')
      .length
}
