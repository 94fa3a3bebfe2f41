import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { comesTrue } from './in-time.ts'

/** How a bot talks to a relay server: by the engine itself, or by frames of a WebSocket. */
export type BotSignals = {
  /** The answer to the bot's offer. */
  publish(offer: string): Promise<string>
  /** The relay server's offer with the slots; asked for after `publish`. */
  slotsOffer(): Promise<string>
  answer(sdp: string): Promise<void>
}

export type BotCall = { bot: number } & (
  | { do: 'create' | 'stopTalking' | 'figures' | 'close' }
  | { do: 'accept' | 'takeSlots' | 'listen'; sdp: string }
  | { do: 'talk'; levelDb: number }
  | { do: 'burst'; packets: number }
  | { do: 'noise'; packets: string[] }
)
export type BotReply = { id: number; value: unknown } | { id: number; error: string }

type Figures = { state: string; sent: number; heard: Record<string, number>; lastHeardAtMs: number }

export type VoiceBots = ReturnType<typeof startVoiceBots>
export type VoiceBot = Awaited<ReturnType<VoiceBots['join']>>

/** RFC 6464, in dB below full scale. */
const LOUD_DB = 20

/** The packets' contents of the tone that bots send. */
export const toneFrames = (): Buffer[] =>
  (JSON.parse(readFileSync(join(import.meta.dirname, 'opus-tone.json'), 'utf8')) as string[]).map((frame) =>
    Buffer.from(frame, 'base64'),
  )

/**
 * Participants without a browser: real ICE, DTLS and SRTP, and the packets of a real tone. They are in a process of their own, so that
 * their native library cannot end or delay the tests. Their packets come from `address`.
 */
export function startVoiceBots({ address = '127.0.0.1' } = {}) {
  const child = fork(join(import.meta.dirname, 'voice-bots-process.ts'), [address], {
    execArgv: ['--conditions=source'],
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let count = 0
  child.on('message', (reply: BotReply) => {
    const pending = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('error' in reply) pending?.reject(new Error(reply.error))
    else pending?.resolve(reply.value)
  })
  child.on('exit', (code, signal) => {
    for (const pending of waiting.values()) pending.reject(new Error(`the bots ended: ${code ?? signal}`))
  })

  function ask(call: BotCall): Promise<unknown> {
    const id = ++count
    const pending = Promise.withResolvers<unknown>()
    waiting.set(id, pending)
    child.send({ id, ...call })
    return pending.promise
  }
  const newOffer = async (bot: number) => String(await ask({ bot, do: 'create' }))

  async function connected(bot: number) {
    const figures = () => ask({ bot, do: 'figures' }) as Promise<Figures>
    await comesTrue('a bot is connected', async () => (await figures()).state === 'connected')
    return {
      talk: (levelDb = LOUD_DB) => ask({ bot, do: 'talk', levelDb }),
      stopTalking: () => ask({ bot, do: 'stopTalking' }),
      /** Many packets at once. */
      burst: (packets: number) => ask({ bot, do: 'burst', packets }),
      /** Broken packets, base64. */
      sendNoise: (packets: string[]) => ask({ bot, do: 'noise', packets }),
      sent: async () => (await figures()).sent,
      /** Packets received so far, of all slots or of one. */
      async heard(slot?: number): Promise<number> {
        const { heard } = await figures()
        if (slot !== undefined) return heard[`s${slot}`] ?? 0
        return Object.values(heard).reduce((sum, each) => sum + each, 0)
      },
      lastHeardAtMs: async () => (await figures()).lastHeardAtMs,
      close: () => ask({ bot, do: 'close' }),
    }
  }

  return {
    /** The offer of a client with one microphone, for tests that change it. */
    offer: () => newOffer(++count),

    /** Connected when it returns. */
    async join(signals: BotSignals) {
      const bot = ++count
      await ask({ bot, do: 'accept', sdp: await signals.publish(await newOffer(bot)) })
      await signals.answer(String(await ask({ bot, do: 'takeSlots', sdp: await signals.slotsOffer() })))
      return connected(bot)
    },

    /** Only sends: `answerOf` returns the answer to its offer. For relay servers whose members have two connections. */
    async publish(answerOf: BotSignals['publish']) {
      const bot = ++count
      await ask({ bot, do: 'accept', sdp: await answerOf(await newOffer(bot)) })
      return connected(bot)
    },

    /** Only receives. */
    async listen(offer: string, sendAnswer: (sdp: string) => Promise<unknown>) {
      const bot = ++count
      await sendAnswer(String(await ask({ bot, do: 'listen', sdp: offer })))
      return connected(bot)
    },

    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Whether the listener hears nothing of a speaker who goes on sending. Packets that are still on their way make it false. */
export async function isCutOff(speaker: VoiceBot, listener: VoiceBot): Promise<boolean> {
  const [heard, sent] = [await listener.heard(), await speaker.sent()]
  await comesTrue('the speaker goes on sending', async () => (await speaker.sent()) - sent >= 25)
  return (await listener.heard()) === heard
}
