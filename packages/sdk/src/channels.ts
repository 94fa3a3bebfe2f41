import type * as contract from '@svc/contract/channels'
import type { FieldsOf } from '@svc/contract/frame'

import { Channel, type ChannelFrame } from './channel.ts'
import { isSvcError, refusal, SvcError } from './errors.ts'
import type { AnyFrame, Warning } from './frames.ts'
import type { Socket } from './socket.ts'

export type NewChannel = FieldsOf<typeof contract.channelCreate>
export type Channels = ReturnType<typeof createChannels>

/** Realtime channels: named, moderated, nothing of what is said is stored. */
export function createChannels(socket: Socket) {
  const joined = new Map<string, Channel>()

  socket.join({
    needsIt: () => joined.size > 0,
    receive,
    lost: () => joined.forEach((channel) => channel.lost()),
    back: () => joined.forEach((channel) => void rejoin(channel)),
    ended: (error) => joined.forEach((channel) => channel.end(error.code)),
  })

  function receive(frame: AnyFrame) {
    if (frame.t === 'warn') return warned(frame as Warning)
    if (!frame.t.startsWith('channel_')) return
    const told = frame as ChannelFrame
    const known = joined.get(told.channel)
    if (known) return known.receive(told)
    if (told.t !== 'channel_joined') return
    const channel = new Channel(told, socket, () => void joined.delete(told.channel))
    joined.set(told.channel, channel)
  }

  /** Which channel it was about is not said where only one can be meant. */
  function warned(warning: Warning) {
    if (warning.request !== 'channelSend') return
    joined.forEach((channel) => channel.warn(refusal(warning)))
  }

  async function rejoin(channel: Channel) {
    try {
      await socket.request<typeof contract.channelJoin>('channelJoin', { channel: channel.name })
    } catch (error) {
      if (!isSvcError(error, 'network_error')) channel.end(isSvcError(error) ? error.code : 'closed')
    }
  }

  /** `channel_joined` has come before the reply (WSK-09). */
  function taken(name: string): Channel {
    const channel = joined.get(name)
    if (!channel) throw new SvcError('channel_not_found')
    return channel
  }

  return {
    /** A name without @ is made by the first who joins it. */
    join: async (name: string): Promise<Channel> => {
      const known = joined.get(name)
      if (known) return known
      await socket.request<typeof contract.channelJoin>('channelJoin', { channel: name })
      return taken(name)
    },

    /** A channel of your own, with a leading @; its name is made up when left out. */
    create: async (fields: NewChannel = {}): Promise<Channel> =>
      taken((await socket.request<typeof contract.channelCreate>('channelCreate', fields)).channel),

    get joined(): Channel[] {
      return [...joined.values()]
    },
  }
}
