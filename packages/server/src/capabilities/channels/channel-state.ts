import { LIMITS } from '@svc/contract/common/limits'
import type { ChannelChanges, ChannelSelf, ChannelVoice } from '@svc/contract/realtime/channels'

import { ApiError } from '../../platform/api-error.ts'
import { emptyLists, isListed, type ListName, type Lists } from './moderation.ts'

/** The requested voice settings. Without a mode, the maximum number of members decides. */
type VoiceRequest = { mode?: ChannelVoice['mode']; relayOnly: boolean }

export type ChannelSettings = {
  join: 'everyone' | 'invited'
  send: 'everyone' | 'speakers' | 'server'
  open: boolean
  maxMembers: number
  voice: VoiceRequest | null
}

/** Everything about a channel except its members. */
export type ChannelState = {
  settings: ChannelSettings
  lists: Lists
  /** The player who created it. */
  owner: string | null
  /** True if a server created it: it is in the database and stays when it has no members. */
  isStored: boolean
  createdAt: string
}

const DEFAULT_SETTINGS: ChannelSettings = {
  join: 'everyone',
  send: 'everyone',
  open: false,
  maxMembers: LIMITS.channelMembersByDefault,
  voice: null,
}

export const newState = (createdAt: string): ChannelState => ({
  settings: DEFAULT_SETTINGS,
  lists: emptyLists(),
  owner: null,
  isStored: false,
  createdAt,
})

/** Checks the rules for joining (CHN-02, CHN-06, CHN-18), not the number of members. */
export function requireMayJoin({ settings, lists, owner }: ChannelState, player: string | null, now: string) {
  if (player === null && !settings.open) throw new ApiError('player_required')
  requireNotBanned(lists, player, now)
  if (settings.join === 'everyone' || (player !== null && player === owner)) return
  if (player === null || !lists.allow.has(player)) throw new ApiError('channel_forbidden')
}

export function requireNotBanned(lists: Lists, player: string | null, now: string) {
  if (player === null || !isListed(lists.banned, player, now)) return
  throw new ApiError('channel_banned', { bannedUntil: untilMs(lists.banned, player) })
}

/** CHN-06, CHN-10, CHN-15: a muted player may not send, whatever else allows it. */
export function sendRefusal(
  { settings, lists, owner }: ChannelState,
  player: string | null,
  now: string,
): ApiError | undefined {
  if (player === null) return new ApiError('send_forbidden')
  if (isListed(lists.muted, player, now))
    return new ApiError('muted', { mutedUntil: untilMs(lists.muted, player) })
  if (player === owner || settings.send === 'everyone') return undefined
  if (settings.send === 'speakers' && lists.speakers.has(player)) return undefined
  return new ApiError('send_forbidden')
}

/** The end of an entry in milliseconds, as frames contain it; null: no end. */
function untilMs(list: ReadonlyMap<string, string | null>, player: string): number | null {
  const until = list.get(player) ?? null
  return until === null ? null : Date.parse(until)
}

export function selfOf(state: ChannelState, player: string | null, now: string): ChannelSelf {
  const muted = player !== null && isListed(state.lists.muted, player, now)
  return {
    canSend: sendRefusal(state, player, now) === undefined,
    muted,
    mutedUntil: muted ? untilMs(state.lists.muted, player) : null,
  }
}

/** VOI-03: small channels use peer-to-peer calls, larger ones a relay server. */
export const voiceOf = ({ voice, maxMembers }: ChannelSettings): ChannelVoice | null =>
  voice && {
    mode: voice.mode ?? (maxMembers <= LIMITS.voiceMeshMembersMax ? 'p2p' : 'sfu'),
    relayOnly: voice.relayOnly,
  }

/** Fields that are absent in `changes` keep their value. */
export function withChanges(settings: ChannelSettings, changes: ChannelChanges): ChannelSettings {
  const { join, send, open, maxMembers, voice } = changes
  const changed: ChannelSettings = {
    join: join ?? settings.join,
    send: send ?? settings.send,
    open: open ?? settings.open,
    maxMembers: maxMembers ?? settings.maxMembers,
    voice: voice === undefined ? settings.voice : wishOf(voice),
  }
  const max = changed.voice?.mode === 'p2p' ? LIMITS.voiceMeshMembersMax : LIMITS.voiceMembersMax
  if (changed.voice && changed.maxMembers > max) throw new ApiError('voice_too_large', { maxMembers: max })
  return changed
}

/**
 * A change by a server (CHN-17): from now on the channel is stored and has no owner. `lists` are those that are not in the database
 * yet.
 */
export function applyServerWrite(
  before: ChannelState,
  changes: ChannelChanges,
): { state: ChannelState; lists: Partial<Lists> } {
  const input: Partial<Lists> = {
    ...(changes.allow && { allow: withoutEnd(changes.allow) }),
    ...(changes.speakers && { speakers: withoutEnd(changes.speakers) }),
  }
  const lists = { ...before.lists, ...input }
  const settings = withChanges(before.settings, changes)
  return {
    state: { ...before, settings, lists, owner: null, isStored: true },
    lists: before.isStored ? input : lists,
  }
}

const withoutEnd = (playerIds: readonly string[]) => new Map(playerIds.map((id) => [id, null]))

export function hasSameVoice(one: ChannelSettings, other: ChannelSettings): boolean {
  const [a, b] = [voiceOf(one), voiceOf(other)]
  return a?.mode === b?.mode && a?.relayOnly === b?.relayOnly
}

function wishOf(voice: NonNullable<ChannelChanges['voice']> | null): VoiceRequest | null {
  if (voice === null || voice === true) return voice && { relayOnly: true }
  const { mode, relayOnly = true } = voice
  return { ...(mode && { mode }), relayOnly }
}

/** The state as JSON, from which the next owner of a channel starts. */
export type ChannelStateText = Omit<ChannelState, 'lists'> & {
  lists: Record<ListName, [playerId: string, until: string | null][]>
}

export const serialize = (state: ChannelState): ChannelStateText => ({
  ...state,
  lists: {
    allow: [...state.lists.allow],
    speakers: [...state.lists.speakers],
    muted: [...state.lists.muted],
    banned: [...state.lists.banned],
  },
})

export const deserialize = (text: ChannelStateText): ChannelState => ({
  ...text,
  lists: {
    allow: new Map(text.lists.allow),
    speakers: new Map(text.lists.speakers),
    muted: new Map(text.lists.muted),
    banned: new Map(text.lists.banned),
  },
})
