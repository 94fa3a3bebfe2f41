import type { ChannelClient } from './channels.ts'
import type { VoiceBot, VoiceBots } from './voice-bots.ts'

/** Joins the channel's call through the relay server, with real media. */
export async function callAsBot(bots: VoiceBots, client: ChannelClient, channel: string): Promise<VoiceBot> {
  await client.request({ t: 'voiceJoin', channel })
  let gen = 0
  return bots.join({
    publish: async (sdp) => (await client.request({ t: 'voicePublish', channel, sdp })).sdp,
    async slotsOffer() {
      const offer = await client.next('voice_sfu_offer')
      gen = offer['gen']
      return offer['sdp']
    },
    answer: (sdp) => client.request({ t: 'voiceAnswer', channel, gen, sdp }),
  })
}
