import { MADE_CHANNEL_NAME, PLAIN_CHANNEL_NAME } from '@svc/contract/channels'

import { type ActorName, nameOf } from '../../platform/actors/actor.ts'

const PLAIN = new RegExp(PLAIN_CHANNEL_NAME)
const MADE = new RegExp(MADE_CHANNEL_NAME)
const KIND = 'channel'

/** Of a channel that somebody has to make, a server or a player. */
export const isMadeName = (name: string): boolean => MADE.test(name)
export const isChannelName = (name: string): boolean => PLAIN.test(name) || MADE.test(name)

export const channelActorName = (environmentId: string, channel: string): ActorName =>
  nameOf({ kind: KIND, environmentId, key: channel })

/** The channels among the memberships of a connection. */
export const channelNamesIn = (memberships: ReadonlyMap<ActorName, unknown>): ActorName[] =>
  [...memberships.keys()].filter(isChannel)

export const isChannel = (name: ActorName): boolean => name.startsWith(`${KIND}:`)
