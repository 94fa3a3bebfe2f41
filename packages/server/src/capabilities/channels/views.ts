import type {
  ChannelChanges,
  ChannelJoined,
  ChannelMember,
  ChannelView,
} from '@svc/contract/realtime/channels'

import { type ChannelState, selfOf, voiceOf } from './channel-state.ts'

export const joinedEvent = (
  channel: string,
  state: ChannelState,
  members: ChannelMember[],
  playerId: string | null,
  now: string,
): ChannelJoined & { t: 'channel_joined' } => ({
  t: 'channel_joined',
  channel,
  settings: rulesOf(state),
  owner: state.owner,
  members,
  voice: voiceOf(state.settings),
  self: selfOf(state, playerId, now),
})

/** For servers, with the lists; muted and banned players are not included (CHN-17). */
export const channelView = (channel: string, state: ChannelState, members: ChannelMember[]): ChannelView => ({
  channel,
  ...rulesOf(state),
  allow: [...state.lists.allow.keys()].toSorted(),
  speakers: [...state.lists.speakers.keys()].toSorted(),
  voice: voiceOf(state.settings),
  members,
  createdAt: state.createdAt,
})

/** Lists become their length, because audit entries are kept after players are deleted. */
export const auditDetailsOf = ({
  allow,
  speakers,
  ...settings
}: ChannelChanges): Record<string, unknown> => ({
  ...settings,
  ...(allow && { allow: allow.length }),
  ...(speakers && { speakers: speakers.length }),
})

function rulesOf({ settings: { join, send, open, maxMembers } }: ChannelState) {
  return { join, send, open, maxMembers }
}
