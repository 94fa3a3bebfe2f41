import { MODERATION_OPS } from '@svc/contract/realtime/channels'
import fc from 'fast-check'

/** Four players; the first one creates the channel. */
export type PlayerIndex = 0 | 1 | 2 | 3
export const EVERYBODY: readonly PlayerIndex[] = [0, 1, 2, 3]

export type Settings = {
  join: 'everyone' | 'invited'
  send: 'everyone' | 'speakers' | 'server'
  maxMembers: number
}
export type Moderate = {
  act: 'moderate'
  by: PlayerIndex | 'server'
  op: (typeof MODERATION_OPS)[number]
  who: PlayerIndex
  seconds?: number
}
export type Step =
  | { act: 'join' | 'leave' | 'drop' | 'send'; who: PlayerIndex }
  | Moderate
  | { act: 'put'; settings: Settings; allow: PlayerIndex[]; speakers: PlayerIndex[] }
  | { act: 'wait'; seconds: number }

/** Every one of these outcomes must occur at least once in the runs. */
export const EVERY_OUTCOME = [
  'channel_banned',
  'channel_forbidden',
  'channel_full',
  'invalid_request',
  'muted',
  'not_in_channel',
  'ok',
  'owner_only',
  'send_forbidden',
]

const who = fc.constantFrom(...EVERYBODY)
const some = fc.subarray([...EVERYBODY])
const seconds = fc.integer({ min: 1, max: 3 })
export const settings: fc.Arbitrary<Settings> = fc.record({
  join: fc.constantFrom('everyone', 'invited'),
  send: fc.constantFrom('everyone', 'speakers', 'server'),
  maxMembers: fc.integer({ min: 2, max: 3 }),
})
const moderation = fc
  .record({
    by: fc.constantFrom<PlayerIndex | 'server'>(0, 0, 0, 'server', 'server', 1),
    op: fc.constantFrom(...MODERATION_OPS),
    who,
    seconds: fc.option(seconds),
  })
  .map(({ by, op, who: one, seconds: length }): Step => {
    const allowsDuration = (op === 'mute' || op === 'ban') && length !== null
    return { act: 'moderate', by, op, who: one, ...(allowsDuration && { seconds: length }) }
  })
const act = (name: 'join' | 'leave' | 'drop' | 'send') => who.map((one): Step => ({ act: name, who: one }))
const put = fc.record({ act: fc.constant('put' as const), settings, allow: some, speakers: some })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: act('join') },
  { weight: 12, arbitrary: act('send') },
  { weight: 2, arbitrary: act('leave') },
  { weight: 2, arbitrary: act('drop') },
  { weight: 12, arbitrary: moderation },
  { weight: 1, arbitrary: put },
  { weight: 4, arbitrary: seconds.map((length): Step => ({ act: 'wait', seconds: length })) },
)
export const steps = fc.array(step, { minLength: 20, maxLength: 30, size: 'max' })

/** A second, very simple implementation of the specification of one channel; times in seconds. */
export function createChannelModel(made: Settings) {
  let rules = made
  let owner: PlayerIndex | null = 0
  let now = 0
  const members: PlayerIndex[] = [0]
  let [allow, speakers] = [new Set<PlayerIndex>(), new Set<PlayerIndex>()]
  const muted = new Map<PlayerIndex, number>()
  const banned = new Map<PlayerIndex, number>()

  const holds = (until: number | undefined) => until !== undefined && until > now
  const remove = (one: PlayerIndex) => members.includes(one) && members.splice(members.indexOf(one), 1)

  function moderate({ by, op, who: one, seconds: length = Infinity }: Moderate): string {
    if (by !== 'server' && by !== owner) return 'owner_only'
    if (by === one) return 'invalid_request'
    if (op === 'invite') allow.add(one)
    if (op === 'uninvite') allow.delete(one)
    if (op === 'uninvite' && rules.join === 'invited') remove(one)
    if (op === 'allowSend') speakers.add(one)
    if (op === 'disallowSend') speakers.delete(one)
    if (op === 'mute') muted.set(one, now + length)
    if (op === 'unmute') muted.delete(one)
    if (op === 'ban') banned.set(one, now + length)
    if (op === 'unban') banned.delete(one)
    if (op === 'ban' || op === 'kick') remove(one)
    return 'ok'
  }

  function join(one: PlayerIndex): string {
    if (members.includes(one)) return 'ok'
    if (holds(banned.get(one))) return 'channel_banned'
    if (rules.join === 'invited' && one !== owner && !allow.has(one)) return 'channel_forbidden'
    if (members.length >= rules.maxMembers) return 'channel_full'
    members.push(one)
    return 'ok'
  }

  function send(one: PlayerIndex): string {
    if (!members.includes(one)) return 'not_in_channel'
    if (holds(muted.get(one))) return 'muted'
    if (one === owner || rules.send === 'everyone') return 'ok'
    return rules.send === 'speakers' && speakers.has(one) ? 'ok' : 'send_forbidden'
  }

  return {
    members,
    /** Whether the channel ends when this member leaves: it is the last one, and the channel is not a server's. */
    endsWith: (one: PlayerIndex) => owner !== null && members.length === 1 && members[0] === one,

    take(next: Step): string {
      switch (next.act) {
        case 'join':
          return join(next.who)
        case 'send':
          return send(next.who)
        case 'moderate':
          return moderate(next)
        case 'leave':
        case 'drop':
          remove(next.who)
          return 'ok'
        case 'put':
          rules = next.settings
          allow = new Set(next.allow)
          speakers = new Set(next.speakers)
          owner = null
          return 'ok'
        case 'wait':
          now += next.seconds
          return 'ok'
      }
    },
  }
}
