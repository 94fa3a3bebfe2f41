import type * as contract from '@svc/contract/realtime/channels'

import type { banIn, isTransient, refusal, SvcErrorCode } from '../http/errors.ts'
import { pause } from '../http/platform.ts'
import { Channel, type ChannelFrame, type ChannelTools } from './channel.ts'
import type { AnyFrame, Warning } from './frames.ts'
import type { Socket } from './socket.ts'

/** Options for `svc.channels.create` and `joinOrCreate`. */
export type NewChannel = {
  /** `@` and 1 to 63 of `a-z 0-9 _ . : -` (default: a generated name). */
  channel?: string
  /** Who may join (default: `everyone`). */
  join?: 'everyone' | 'invited'
  /** Who may send and speak (default: `everyone`). `speakers` are those whom you allow with `channel.moderate`. */
  send?: 'everyone' | 'speakers' | 'server'
  /** The maximum number of members, up to 1,000 (default: 100). */
  maxMembers?: number
  /**
   * Allows voice calls. With `maxMembers` up to 8 they are peer-to-peer and free; above that, or with `{ mode: 'sfu' }`, they use a
   * relay, which costs credit.
   */
  voice?: true | { mode: 'sfu' }
}
/** Chat, presence and voice in named channels. Messages are not stored. */
export type Channels = ReturnType<typeof createChannels>

/** What `createChannels` takes: its file is loaded with the first channel, and its copy of the class of errors would be another class. */
export type ChannelsTools = ChannelTools & {
  socket: Socket
  banIn: typeof banIn
  isTransient: typeof isTransient
  refusal: typeof refusal
}

const REJOIN_AGAIN_MS = 1_000

/** Chat, presence and voice in named channels. Messages are not stored. */
export function createChannels(tools: ChannelsTools) {
  const { socket, banIn, isSvcError, isTransient, newError, refusal } = tools
  const joined = new Map<string, Channel>()

  socket.join({
    isInUse: () => joined.size > 0,
    receive,
    disconnected: () => joined.forEach((channel) => channel.presence.disconnected()),
    connected: () => joined.forEach((channel) => void rejoin(channel)),
    ended: (error) => joined.forEach((channel) => channel.presence.end(error.code, banIn(error))),
  })

  function receive(frame: AnyFrame) {
    if (frame.t === 'warn') return warned(frame as Warning)
    const received = frame as ChannelFrame
    const known = joined.get(received.channel)
    if (known) return known.presence.receive(received)
    if (received.t !== 'channel_joined') return
    const channel = new Channel(received, tools, () => {
      if (joined.get(channel.name) === channel) joined.delete(channel.name)
    })
    joined.set(channel.name, channel)
  }

  /** A warning without a channel is about the connection, which all channels share. */
  function warned({ request = 'channelSend', channel, ...warning }: Warning) {
    // The close of the connection, which follows, reports the same.
    if (request !== 'channelSend' || warning.code === 'server_restarting') return
    for (const candidate of joined.values())
      if (channel === undefined || channel === candidate.name) candidate.presence.warn(refusal(warning))
  }

  async function rejoin(channel: Channel): Promise<void> {
    try {
      await socket.request<typeof contract.channelJoin>('channelJoin', { channel: channel.name })
    } catch (error) {
      // The connection was lost again; the next one retries.
      if (isSvcError(error, 'network_error')) return
      if (!isTransient(error)) return channel.presence.end(isSvcError(error) ? error.code : 'closed')
      await pause(REJOIN_AGAIN_MS)
      if (joined.get(channel.name) === channel && socket.isOpen) return rejoin(channel)
    }
  }

  /** `channel_joined` comes before the reply (WSK-09): with it the join succeeded, even if the reply was lost. */
  async function join(name: string): Promise<Channel> {
    await socket
      .request<typeof contract.channelJoin>('channelJoin', { channel: name })
      .catch((error: unknown) => {
        if (!joined.has(name) || !isSvcError(error, 'network_error')) throw error
      })
    return requireJoined(name)
  }

  function requireJoined(name: string): Channel {
    const channel = joined.get(name)
    if (!channel) throw newError('channel_not_found')
    channel.presence.flushSoon()
    return channel
  }

  /** Handles the error with this code; other errors are thrown. */
  const onError = (code: SvcErrorCode, otherwise: () => Promise<Channel>) => (error: unknown) => {
    if (!isSvcError(error, code)) throw error
    return otherwise()
  }

  const joinOnce = async (name: string): Promise<Channel> => joined.get(name) ?? join(name)
  const create = async (fields: NewChannel = {}): Promise<Channel> =>
    requireJoined((await socket.request<typeof contract.channelCreate>('channelCreate', fields)).channel)

  return {
    /**
     * Joins a channel. A channel whose name does not start with `@` exists while it has members, so the first join creates it.
     *
     * @throws `channel_not_found` There is no such channel. Only names without `@` are created by joining.
     * @throws `channel_forbidden` The channel is for invited players.
     * @throws `channel_full` The channel has `maxMembers` members.
     * @throws `channel_banned` You are banned from this channel.
     * @throws `player_required` Visitors without a player can only join channels that a server created with `open`.
     *
     * @example
     * const lobby = await svc.channels.join('lobby')
     * lobby.send('chat', { text: 'Hello' })
     */
    join: joinOnce,

    /**
     * Creates a channel that you own, and joins it. It closes when the last member leaves.
     *
     * @throws `channel_exists` Another channel has this name. `joinOrCreate` joins it instead.
     * @throws `voice_too_large` Calls have at most 100 members.
     *
     * @example
     * const club = await svc.channels.create({ channel: '@club', join: 'invited' })
     * console.log(club.owner === svc.player.id) // → true
     */
    create,

    /**
     * Joins the channel with this name, or creates it with these options. If the channel already exists, its own options stay.
     *
     * @throws `channel_forbidden` The channel is for invited players.
     * @throws `channel_full` The channel has `maxMembers` members.
     * @throws `channel_banned` You are banned from this channel.
     *
     * @example
     * const team = await svc.channels.joinOrCreate({
     *   channel: '@team',
     *   voice: true,
     *   maxMembers: 8, // up to 8 people talk peer-to-peer, for free
     * })
     */
    joinOrCreate: (fields: NewChannel & { channel: string }): Promise<Channel> => {
      const { channel } = fields
      return (
        joinOnce(channel)
          .catch(onError('channel_not_found', () => create(fields)))
          // Another player was faster.
          .catch(onError('channel_exists', () => joinOnce(channel)))
      )
    },

    /** The channels that you are in. */
    get joined(): Channel[] {
      return [...joined.values()]
    },
  }
}
