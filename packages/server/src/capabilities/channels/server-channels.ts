import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { ChannelChanges, ChannelView, Moderation } from '@svc/contract/realtime/channels'

import type { MessageOf } from '../../platform/actors/actor.ts'
import { ApiError } from '../../platform/api-error.ts'
import { MINUTE_MS } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import type { ChannelProtocol, ServerActor } from './channel-protocol.ts'
import type { ChannelActors } from './channels.ts'
import { requireSmallEnough } from './message-frame.ts'
import { channelActorName, isChannelName, isMadeName } from './names.ts'

type ServerChannelDeps = {
  counters: SlidingCounters
  /** Throws `feature_disabled` or `feature_unavailable`. */
  requireVoice(environmentId: string): Promise<void>
}

/** A server, identified by its key. */
type ServerCaller = { environment: Environment; actor: Actor }
export type ServerChannels = ReturnType<typeof createServerChannels>

/** The operations of a developer's server on channels, both those it created and those of its players. */
export function createServerChannels(
  actors: Pick<ChannelActors, 'ask'>,
  { counters, requireVoice }: ServerChannelDeps,
) {
  /** A channel that is not in memory may still be in the database. */
  async function ask<Type extends keyof ChannelProtocol>(
    { id }: Environment,
    channel: string,
    message: MessageOf<ChannelProtocol, Type>,
  ): Promise<ChannelProtocol[Type]['answer']> {
    if (!isChannelName(channel)) throw new ApiError('channel_not_found')
    const claimMode = isMadeName(channel) ? 'any' : 'existing'
    const answer = await actors.ask(channelActorName(id, channel), message, claimMode)
    if (answer === undefined) throw new ApiError('channel_not_found')
    return answer
  }

  /** CHN-23: per key, on all nodes together. If the counters are down there is no limit: secret keys are trusted. */
  async function count(what: 'messages' | 'changes', { actor }: ServerCaller, perMinuteMax: number) {
    const admission = await counters
      .admit(`channel-${what}:${actor.id}`, MINUTE_MS, perMinuteMax)
      .catch(() => ({ isAdmitted: true, retryInMs: 0 }))
    requireAdmitted(admission)
  }
  const countMessage = (caller: ServerCaller) => count('messages', caller, LIMITS.channelMessagesPerMinuteMax)
  const countChange = (caller: ServerCaller) => count('changes', caller, LIMITS.channelChangesPerMinuteMax)

  return {
    async write(caller: ServerCaller, channel: string, changes: ChannelChanges): Promise<ChannelView> {
      await countChange(caller)
      if (!isMadeName(channel)) throw new ApiError('invalid_channel_name')
      if (changes.voice) await requireVoice(caller.environment.id)
      return ask(caller.environment, channel, { type: 'write', server: actorOf(caller), changes })
    },

    read: ({ environment }: ServerCaller, channel: string): Promise<ChannelView> =>
      ask(environment, channel, { type: 'read' }),

    async remove(caller: ServerCaller, channel: string): Promise<{ deleted: true }> {
      await countChange(caller)
      return ask(caller.environment, channel, { type: 'delete', server: actorOf(caller) })
    },

    /** `data` is JSON text. */
    async send(
      caller: ServerCaller,
      channel: string,
      { type, data }: { type: string; data: string },
    ): Promise<{ delivered: number }> {
      await countMessage(caller)
      requireSmallEnough(data)
      return ask(caller.environment, channel, { type: 'sendAsServer', messageType: type, data })
    },

    async moderate(caller: ServerCaller, channel: string, moderation: Moderation): Promise<object> {
      await countChange(caller)
      const by = { server: actorOf(caller) }
      return ask(caller.environment, channel, { type: 'moderate', by, moderation })
    },
  }
}

const actorOf = ({ environment, actor }: ServerCaller): ServerActor => ({
  projectId: environment.projectId,
  env: environment.name,
  actor,
})
