import type * as contract from '@svc/contract/channels'
import type { FieldsOf } from '@svc/contract/frame'

import { Channel, type ChannelFrame } from './channel.ts'
import { banIn, isTransient, isSvcError, refusal, SvcError } from './errors.ts'
import type { AnyFrame, Warning } from './frames.ts'
import { pause } from './platform.ts'
import type { Socket } from './socket.ts'

/** The options of a new channel. */
export type NewChannel = FieldsOf<typeof contract.channelCreate>
/** `svc.channels`. */
export type Channels = ReturnType<typeof createChannels>

const REJOIN_AGAIN_MS = 1_000

/** Realtime channels: named, moderated, nothing of what is said is stored. */
export function createChannels(socket: Socket) {
  const joined = new Map<string, Channel>()

  socket.join({
    isInUse: () => joined.size > 0,
    receive,
    lost: () => joined.forEach((channel) => channel.lost()),
    back: () => joined.forEach((channel) => void rejoin(channel)),
    ended: (error) => joined.forEach((channel) => channel.end(error.code, banIn(error))),
  })

  function receive(frame: AnyFrame) {
    if (frame.t === 'warn') return warned(frame as Warning)
    if (!frame.t.startsWith('channel_')) return
    const received = frame as ChannelFrame
    const known = joined.get(received.channel)
    if (known) return known.receive(received)
    if (received.t !== 'channel_joined') return
    const channel = new Channel(received, socket, () => {
      if (joined.get(channel.name) === channel) joined.delete(channel.name)
    })
    joined.set(channel.name, channel)
  }

  /** Without a channel it is about the connection, which all share. */
  function warned({ request = 'channelSend', channel, ...warning }: Warning) {
    // The end of the connection, which follows, says the same.
    if (request !== 'channelSend' || warning.code === 'server_restarting') return
    for (const one of joined.values())
      if (channel === undefined || channel === one.name) one.warn(refusal(warning))
  }

  async function rejoin(channel: Channel): Promise<void> {
    try {
      await socket.request<typeof contract.channelJoin>('channelJoin', { channel: channel.name })
    } catch (error) {
      // Lost once more: there will be another try.
      if (isSvcError(error, 'network_error')) return
      if (!isTransient(error)) return channel.end(isSvcError(error) ? error.code : 'closed')
      await pause(REJOIN_AGAIN_MS)
      if (joined.get(channel.name) === channel && socket.isOpen) return rejoin(channel)
    }
  }

  /** `channel_joined` comes before the reply (WSK-09): whoever has it is in, even if the reply got lost. */
  async function join(name: string): Promise<Channel> {
    await socket
      .request<typeof contract.channelJoin>('channelJoin', { channel: name })
      .catch((error: unknown) => {
        if (!joined.has(name) || !isSvcError(error, 'network_error')) throw error
      })
    return taken(name)
  }

  function taken(name: string): Channel {
    const channel = joined.get(name)
    if (!channel) throw new SvcError('channel_not_found')
    return channel.deliverBuffered()
  }

  return {
    /** A name without @ is made by the first who joins it. */
    join: async (name: string): Promise<Channel> => joined.get(name) ?? join(name),

    /** A channel of your own, with a leading @; its name is made up when left out. */
    create: async (fields: NewChannel = {}): Promise<Channel> =>
      taken((await socket.request<typeof contract.channelCreate>('channelCreate', fields)).channel),

    /** The channels that this client has joined. */
    get joined(): Channel[] {
      return [...joined.values()]
    },
  }
}
