import type { FieldsOf } from '@svc/contract/common/frame'
import { LIMITS } from '@svc/contract/common/limits'
import type {
  ChannelChanges,
  channelCreate,
  ChannelMember,
  channelModerate,
  channelSend,
} from '@svc/contract/realtime/channels'

import { type ActorContext, idOf } from '../../platform/actors/actor.ts'
import type { Actors } from '../../platform/actors/actors.ts'
import type { LocalConnection } from '../../platform/actors/members.ts'
import type { Queries } from '../../platform/actors/queries.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import { type Random, randomBase32 } from '../../platform/random.ts'
import { channelHandlers } from './channel-handlers.ts'
import type { Joiner } from './channel-members.ts'
import type {
  ChannelName,
  ChannelDeps,
  ChannelProtocol,
  ChannelSnapshot,
  ChannelSummary,
  StoredChannel,
} from './channel-protocol.ts'
import { type ChannelState, deserialize } from './channel-state.ts'
import { Channel } from './channel.ts'
import { requireSmallEnough } from './message-frame.ts'
import { channelActorName, channelNamesIn, isChannelName, isMadeName } from './names.ts'

type CallerIdentity = { environment: Environment; player: Player | null; displayName: string | null }
/** A connection of this node, as channels see it. */
export type ChannelConnection = LocalConnection & {
  localAddress: string
  identity: CallerIdentity | undefined
  sendEvent(event: object): void
}
/** Authenticated by the edge. */
export type Caller = CallerIdentity & { connection: ChannelConnection }

export type ChannelActors = Pick<Actors<ChannelConnection>, 'ask' | 'define'>

type ChannelsDeps = ChannelDeps & {
  nodeId: string
  queries: Queries
  find(channel: StoredChannel): Promise<ChannelState | undefined>
  random: Random
  /** Throws `feature_disabled` or `feature_unavailable`. */
  requireVoice(environmentId: string): Promise<void>
  /** A member has rejoined the channel at another owner, or lost it: the call that it was in has ended. */
  rejoined(connection: ChannelConnection, channel: string): void
}

export type Channels = ReturnType<typeof createChannels>

type NewChannel = FieldsOf<typeof channelCreate>

const MADE_UP_NAME_LENGTH = 16
const SUMMARIES_MAX = 1_000

/** The operations of connections on channels, on any node. */
export function createChannels(actors: ChannelActors, deps: ChannelsDeps) {
  const here = actors.define<ChannelProtocol, Channel, ChannelSnapshot>(
    { kind: 'channel', open, handlers: channelHandlers },
    { rejoin, membershipLost },
  )
  const { ask } = actors
  const summaries = deps.queries.define('channels.summaries', (environmentId: string) =>
    here(environmentId).flatMap((channel) => channel.summary(deps.nodeId) ?? []),
  )
  const namesWithPlayer = deps.queries.define(
    'channels.mentioning',
    ({ environmentId, playerId }: { environmentId: string; playerId: string }) =>
      here(environmentId)
        .filter((channel) => channel.mentions(playerId))
        .map(({ name }) => name),
  )

  async function open(context: ActorContext, snapshot: ChannelSnapshot | undefined): Promise<Channel> {
    const { environmentId, key: name } = context.id
    const stored = isMadeName(name) ? await deps.find({ environmentId, name }) : undefined
    const state = stored ?? (snapshot?.state ? deserialize(snapshot.state) : undefined)
    return new Channel(context, deps, { state, isFromSnapshot: snapshot !== undefined })
  }

  async function rejoin(connection: ChannelConnection, name: ChannelName) {
    if (!connection.identity) return
    const joiner = joinerOf({ ...connection.identity, connection })
    await ask(name, { type: 'join', isRejoin: true, ...joiner }, 'any')
    deps.rejoined(connection, idOf(name).key)
  }

  async function membershipLost(connection: ChannelConnection, name: ChannelName) {
    connection.sendEvent({ t: 'channel_closed', channel: idOf(name).key, reason: 'closed' })
    deps.rejoined(connection, idOf(name).key)
  }

  /** Repeats a rename that came during the join, when the player was not in the channel yet. */
  async function followRename({ connection, player, displayName: before }: Caller, name: ChannelName) {
    const displayName = connection.identity?.displayName ?? null
    if (!player || !connection.identity || displayName === before) return
    await ask(name, { type: 'rename', player: { id: player.id, displayName } })
  }

  function requireChannelCapacity({ memberships }: ChannelConnection) {
    if (channelNamesIn(memberships).length >= LIMITS.channelsPerConnectionMax)
      throw new ApiError('too_many_channels', { limit: LIMITS.channelsPerConnectionMax })
  }

  return {
    async join(caller: Caller, channel: string): Promise<object> {
      const name = channelActorName(caller.environment.id, channel)
      if (!isChannelName(channel)) throw new ApiError('invalid_channel_name')
      if (!caller.connection.memberships.has(name)) requireChannelCapacity(caller.connection)
      await ask(name, { type: 'join', ...joinerOf(caller) }, 'any')
      await followRename(caller, name)
      return {}
    },

    async create(caller: Caller & { player: Player }, fields: NewChannel): Promise<{ channel: string }> {
      const { channel = `@${randomBase32(deps.random, MADE_UP_NAME_LENGTH)}` } = fields
      if (!isMadeName(channel)) throw new ApiError('invalid_channel_name')
      const { environment, connection, player, displayName } = caller
      const name = channelActorName(environment.id, channel)
      if (!connection.memberships.has(name)) requireChannelCapacity(connection)
      if (fields.voice !== undefined) await deps.requireVoice(environment.id)

      const creator = { ref: connection.ref, player: { id: player.id, displayName } }
      await ask(name, { type: 'create', ...creator, changes: changesBy(fields) }, 'any')
      await followRename(caller, name)
      return { channel }
    },

    async leave({ connection, environment }: Caller, channel: string): Promise<object> {
      const name = channelActorName(environment.id, channel)
      if (connection.memberships.has(name)) await ask(name, { type: 'leave', ref: connection.ref })
      return {}
    },

    /** The hot path: returns no promise if the channel is on this node. `data` is JSON text. */
    send(
      { connection, environment }: Caller,
      { channel, type }: FieldsOf<typeof channelSend>,
      data = 'null',
    ): object | Promise<object> {
      const name = channelActorName(environment.id, channel)
      if (!connection.memberships.has(name)) throw new ApiError('not_in_channel')
      requireSmallEnough(data)
      const sent = ask(name, { type: 'send', ref: connection.ref, messageType: type, data })
      return sent instanceof Promise ? sent.then(orNotIn) : orNotIn(sent)
    },

    /** A request about the call of a channel. */
    async askCall<Answer extends object>(
      { connection, environment }: Pick<Caller, 'connection' | 'environment'>,
      channel: string,
      request: { type: string },
    ): Promise<Answer> {
      const name = channelActorName(environment.id, channel)
      if (!connection.memberships.has(name)) throw new ApiError('not_in_channel')
      const answer = await ask(name, { type: 'call', ref: connection.ref, request })
      if (answer === undefined) throw new ApiError('not_in_channel')
      return answer as Answer
    },

    async moderate(
      { environment, player }: Caller,
      { channel, op, playerId, seconds }: FieldsOf<typeof channelModerate>,
    ): Promise<object> {
      if (!isMadeName(channel)) throw new ApiError('owner_only')
      const moderation = { op, playerId, ...(seconds !== undefined && { seconds }) }
      const by = { playerId: player?.id ?? null }
      const name = channelActorName(environment.id, channel)
      const done = await ask(name, { type: 'moderate', by, moderation })
      if (done === undefined) throw new ApiError('owner_only')
      return {}
    },

    /** The feature was turned off: these connections leave all their channels. */
    async closeFor(connections: readonly ChannelConnection[]) {
      const reason = 'feature_disabled'
      await Promise.allSettled(
        connections.flatMap(({ ref, memberships }) =>
          channelNamesIn(memberships).map(async (name) =>
            ask(name, { type: 'removeWithReason', ref, reason }),
          ),
        ),
      )
    },

    /** The largest channels first; without messages. */
    async liveView(environmentId: string): Promise<ChannelSummary[]> {
      return (await summaries(environmentId))
        .flat()
        .toSorted((a, b) => b.members - a.members || (a.channel < b.channel ? -1 : 1))
        .slice(0, SUMMARIES_MAX)
    },

    /** `memberships` are the channels of the player's connections. */
    async rename(player: ChannelMember, memberships: readonly ChannelName[]) {
      for (const name of new Set(memberships)) await ask(name, { type: 'rename', player })
    },

    /** Removes a deleted player from the lists of all live channels, and as their owner. */
    async removePlayer(environmentId: string, playerId: string) {
      const channels = (await namesWithPlayer({ environmentId, playerId })).flat()
      for (const channel of channels)
        await ask(channelActorName(environmentId, channel), { type: 'forget', playerId })
    },
  }
}

/** Listed one by one: players may not set the other fields that servers may set. */
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

/** The channel may have ended before the message arrived. */
function orNotIn(sent: unknown): object {
  if (sent === undefined) throw new ApiError('not_in_channel')
  return {}
}
