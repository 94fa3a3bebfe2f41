import { MADE_CHANNEL_NAME, PLAIN_CHANNEL_NAME } from '@svc/contract/channels'

import { type ActorId, idOf, nameOf } from '../../platform/actors/actor.ts'

const PLAIN = new RegExp(PLAIN_CHANNEL_NAME)
const MADE = new RegExp(MADE_CHANNEL_NAME)
const KIND = 'channel'

/** Of a channel that somebody has to make, a server or a player. */
export const isMadeName = (name: string): boolean => MADE.test(name)
export const isChannelName = (name: string): boolean => PLAIN.test(name) || MADE.test(name)

export const channelId = (environmentId: string, name: string): ActorId => ({
  kind: KIND,
  environmentId,
  key: name,
})

/** The channels among the places of a connection. */
export const channelsAmong = (places: ReadonlyMap<string, unknown>): ActorId[] =>
  [...places.keys()].filter((place) => place.startsWith(`${KIND}:`)).map(idOf)

export const isIn = (places: ReadonlyMap<string, unknown>, channel: ActorId): boolean =>
  places.has(nameOf(channel))
