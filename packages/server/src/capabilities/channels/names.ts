import { MADE_CHANNEL_NAME, PLAIN_CHANNEL_NAME } from '@svc/contract/realtime/channels'

import { nameOf } from '../../platform/actors/actor.ts'
import type { ChannelName } from './channel-protocol.ts'

const PLAIN = new RegExp(PLAIN_CHANNEL_NAME)
const MADE = new RegExp(MADE_CHANNEL_NAME)
const KIND = 'channel'

/** The name of a channel that a server or a player must create. */
export const isMadeName = (name: string): boolean => MADE.test(name)
export const isChannelName = (name: string): boolean => PLAIN.test(name) || MADE.test(name)

export const channelActorName = (environmentId: string, channel: string): ChannelName =>
  nameOf({ kind: KIND, environmentId, key: channel })

/** The channels in which a connection is a member. */
export const channelNamesIn = (memberships: ReadonlyMap<string, unknown>): ChannelName[] =>
  [...memberships.keys()].filter(isChannel)

export const isChannel = (name: string): name is ChannelName => name.startsWith(`${KIND}:`)
