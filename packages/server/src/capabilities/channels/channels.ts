import type {
  ChannelChanges,
  channelCreate,
  ChannelMember,
  channelModerate,
  channelSend,
} from '@svc/contract/channels'
import type { FieldsOf } from '@svc/contract/frame'
import { LIMITS } from '@svc/contract/limits'

import { type ActorId, type ActorName, nameOf, type ActorContext } from '../../platform/actors/actor.ts'
import type { Actors } from '../../platform/actors/actors.ts'
import type { LocalConnection } from '../../platform/actors/members.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import { type Random, randomBase32 } from '../../platform/random.ts'
import type { Joiner } from './channel-members.ts'
import type {
  ChannelSummary,
  ChannelMessage,
  ChannelNeeds,
  ChannelSnapshot,
  StoredChannel,
} from './channel-protocol.ts'
import { type ChannelState, deserialize } from './channel-state.ts'
import { Channel } from './channel.ts'
import { requireSmallEnough } from './message-frame.ts'
import { channelActorName, channelNamesIn, isChannelName, isMadeName } from './names.ts'

type CallerIdentity = { environment: Environment; player: Player | null; displayName: string | null }
/** A connection of this node, as far as channels care. */
export type ChannelConnection = LocalConnection & {
  identity: CallerIdentity | undefined
  tell(event: object): void
}
/** Who asks; proven by the edge. */
export type Caller = CallerIdentity & { connection: ChannelConnection }

export type ChannelActors = Pick<Actors<ChannelConnection>, 'ask' | 'define' | 'survey'>

export type ChannelsNeeds = ChannelNeeds & {
  find(channel: StoredChannel): Promise<ChannelState | undefined>
  random: Random
  /** Throws `feature_disabled` or `feature_unavailable`. */
  requireVoice(environmentId: string): Promise<void>
}

export type Channels = ReturnType<typeof createChannels>

type NewChannel = FieldsOf<typeof channelCreate>
type Survey = { about: 'everything' } | { about: 'player'; playerId: string }

const MADE_UP_NAME_LENGTH = 16
const SUMMARIES_MAX = 1_000

/** What connections ask of channels, wherever these are. */
export function createChannels(actors: ChannelActors, needs: ChannelsNeeds) {
  actors.define<ChannelMessage, ChannelSnapshot>({ kind: 'channel', open, survey }, rejoin)

  async function open(context: ActorContext, snapshot: ChannelSnapshot | undefined): Promise<Channel> {
    const { environmentId, key: name } = context.id
    const stored = isMadeName(name) ? await needs.find({ environmentId, name }) : undefined
    const state = stored ?? (snapshot?.state ? deserialize(snapshot.state) : undefined)
    return new Channel(context, needs, { state, isFromSnapshot: snapshot !== undefined })
  }

  const ask = (name: ActorName, message: ChannelMessage, how: 'existing' | 'any') =>
    actors.ask(name, message, how)

  async function rejoin(connection: ChannelConnection, id: ActorId) {
    if (!connection.identity) return
    const joiner = joinerOf({ ...connection.identity, connection })
    try {
      await ask(nameOf(id), { ask: 'join', isRejoin: true, ...joiner }, 'any')
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      connection.tell({ t: 'channel_closed', channel: id.key, reason: 'closed' })
    }
  }

  /** A rename while the caller was on the way to the channel has not found the caller there. */
  async function followRename({ connection, player, displayName: before }: Caller, name: ActorName) {
    const displayName = connection.identity?.displayName ?? null
    if (!player || !connection.identity || displayName === before) return
    await ask(name, { ask: 'rename', player: { id: player.id, displayName } }, 'existing')
  }

  function requireChannelCapacity({ memberships: memberships }: ChannelConnection) {
    if (channelNamesIn(memberships).length >= LIMITS.channelsPerConnectionMax)
      throw new ApiError('too_many_channels', { limit: LIMITS.channelsPerConnectionMax })
  }

  return {
    async join(caller: Caller, channel: string): Promise<object> {
      const name = channelActorName(caller.environment.id, channel)
      if (!isChannelName(channel)) throw new ApiError('invalid_channel_name')
      if (!caller.connection.memberships.has(name)) requireChannelCapacity(caller.connection)
      await ask(name, { ask: 'join', ...joinerOf(caller) }, 'any')
      await followRename(caller, name)
      return {}
    },

    async create(caller: Caller & { player: Player }, fields: NewChannel): Promise<{ channel: string }> {
      const { channel = `@${randomBase32(needs.random, MADE_UP_NAME_LENGTH)}` } = fields
      if (!isMadeName(channel)) throw new ApiError('invalid_channel_name')
      const { environment, connection, player, displayName } = caller
      const name = channelActorName(environment.id, channel)
      if (!connection.memberships.has(name)) requireChannelCapacity(connection)
      if (fields.voice !== undefined) await needs.requireVoice(environment.id)

      const creator = { ref: connection.ref, player: { id: player.id, displayName } }
      await ask(name, { ask: 'create', ...creator, changes: changesBy(fields) }, 'any')
      await followRename(caller, name)
      return { channel }
    },

    async leave({ connection, environment }: Caller, channel: string): Promise<object> {
      const name = channelActorName(environment.id, channel)
      if (connection.memberships.has(name)) await ask(name, { ask: 'leave', ref: connection.ref }, 'existing')
      return {}
    },

    /** The hot path: no promise where the channel is on this node. `data` is JSON text. */
    send(
      { connection, environment }: Caller,
      { channel, type }: FieldsOf<typeof channelSend>,
      data = 'null',
    ): object | Promise<object> {
      const name = channelActorName(environment.id, channel)
      if (!connection.memberships.has(name)) throw new ApiError('not_in_channel')
      requireSmallEnough(data)
      const sent = ask(name, { ask: 'send', ref: connection.ref, type, data }, 'existing')
      return sent instanceof Promise ? sent.then(orNotIn) : orNotIn(sent)
    },

    async moderate(
      { environment, player }: Caller,
      { channel, op, playerId, seconds }: FieldsOf<typeof channelModerate>,
    ): Promise<object> {
      if (!isMadeName(channel)) throw new ApiError('owner_only')
      const moderation = { op, playerId, ...(seconds !== undefined && { seconds }) }
      const by = { playerId: player?.id ?? null }
      const name = channelActorName(environment.id, channel)
      const done = await ask(name, { ask: 'moderate', by, moderation }, 'existing')
      if (done === undefined) throw new ApiError('owner_only')
      return {}
    },

    /** The feature was switched off: these connections leave all their channels. */
    async closeFor(connections: readonly ChannelConnection[]) {
      const reason = 'feature_disabled'
      await Promise.allSettled(
        connections.flatMap(({ ref, memberships: memberships }) =>
          channelNamesIn(memberships).map(async (name) =>
            ask(name, { ask: 'dismiss', ref, reason }, 'existing'),
          ),
        ),
      )
    },

    /** The largest first; never what is said in them. */
    async liveView(environmentId: string): Promise<ChannelSummary[]> {
      const question: Survey = { about: 'everything' }
      const found = (await actors.survey('channel', environmentId, question)) as ChannelSummary[][]
      return found
        .flat()
        .toSorted((a, b) => b.members - a.members || (a.channel < b.channel ? -1 : 1))
        .slice(0, SUMMARIES_MAX)
    },

    /** In the channels among the memberships of its connections. */
    async rename(player: ChannelMember, memberships: readonly ActorName[]) {
      const message: ChannelMessage = { ask: 'rename', player }
      for (const name of new Set(memberships)) await ask(name, message, 'existing')
    },

    /** The player is no more: neither in the lists nor as the owner of any live channel. */
    async removePlayer(environmentId: string, playerId: string) {
      const question: Survey = { about: 'player', playerId }
      const found = (await actors.survey('channel', environmentId, question)) as string[][]
      for (const channel of found.flat())
        await ask(channelActorName(environmentId, channel), { ask: 'forget', playerId }, 'existing')
    },
  }
}

/** On each node, of the channels it owns. */
function survey(channels: Iterable<Channel>, question: unknown): ChannelSummary[] | string[] {
  const asked = question as Survey
  if (asked.about === 'everything') return [...channels].flatMap((channel) => channel.summary() ?? [])
  return [...channels].filter((channel) => channel.mentions(asked.playerId)).map(({ name }) => name)
}

/** Named one by one: what else a server may set, a player may not. */
const changesBy = ({ join, send, maxMembers, voice }: NewChannel): ChannelChanges => ({
  ...(join && { join }),
  ...(send && { send }),
  ...(maxMembers && { maxMembers }),
  ...(voice && { voice: voice === true || { mode: voice.mode } }),
})

const joinerOf = ({ connection, player, displayName }: Caller): Joiner => ({
  ref: connection.ref,
  player: player && { id: player.id, displayName },
})

/** The channel may have ended between two looks. */
function orNotIn(sent: unknown): object {
  if (sent === undefined) throw new ApiError('not_in_channel')
  return {}
}
