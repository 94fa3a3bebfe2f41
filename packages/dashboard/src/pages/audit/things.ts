import type { AuditEntry } from '@svc/contract/audit'

/** What a change was made to, with the page that shows it; without a page it is a text that somebody wrote. */
export type Thing = { noun: string; name: string; page?: string; id?: string }
/** A sentence without its subject. */
export type Sentence = readonly (string | Thing)[]
export type Change = Pick<AuditEntry, 'action' | 'target' | 'details'>
type Place = { page: string; id?: string }

/** ``sentence`banned ${player(target)}` ``. */
export const sentence = (texts: TemplateStringsArray, ...things: (string | Thing)[]): Sentence =>
  texts.flatMap((text, index) => [text, things[index] ?? '']).filter((part) => part !== '')

/** A text or a number of the details; empty if there is none. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

const SHORT_ID_LENGTH = 7
const shortId = (id: string) => (id === '' ? '' : `…${id.slice(-SHORT_ID_LENGTH)}`)

/** Without a name the sentence is still complete: `banned a player`. */
const thing = (noun: string, name: string, place: Place): string | Thing =>
  name === '' ? `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}` : { noun, name, ...place }

export const quoted = (text: unknown) => (textOf(text) === '' ? '' : { noun: '', name: textOf(text) })
/** Entries contain no names of players, because they are kept after the player is deleted. */
export const player = (id: unknown) =>
  thing('player', shortId(textOf(id)), { page: 'players', id: textOf(id) })
export const agent = (id: unknown, label?: unknown) =>
  thing('agent', textOf(label) || shortId(textOf(id)), { page: 'agents', id: textOf(id) })
export const key = ({ target, details }: Change) =>
  thing(
    `${details['type'] === 'publishable' || details['type'] === 'secret' ? `${details['type']} ` : ''}key`,
    textOf(details['label']) ||
      textOf(details['after']) ||
      (details['last4'] ? `…${textOf(details['last4'])}` : shortId(textOf(target))),
    { page: 'keys' },
  )
/** A version of the hosted app. */
export const version = ({ details }: Change) =>
  thing('version', textOf(details['version']), { page: 'hosting', id: textOf(details['version']) })
export const functionsVersion = ({ details }: Change) =>
  details['version'] === undefined
    ? 'functions'
    : thing('functions version', textOf(details['version']), { page: 'functions' })
export const configVersion = ({ details }: Change) =>
  details['version'] === undefined
    ? 'a config'
    : thing('config', `v${textOf(details['version'])}`, { page: 'config', id: 'history' })
export const member = ({ target, details }: Change) =>
  details['email'] || target
    ? { noun: '', name: textOf(details['email']) || shortId(textOf(target)), page: 'team' }
    : 'a member'
export const room = ({ target }: Change) =>
  thing('room', shortId(textOf(target)), { page: 'live', id: textOf(target) })
export const channel = ({ target }: Change) => thing('channel', textOf(target), { page: 'live' })
export const board = (name: unknown) =>
  thing('leaderboard', textOf(name), { page: 'leaderboards', id: textOf(name) })
export const secret = ({ target }: Change) => thing('functions secret', textOf(target), { page: 'functions' })
export const database = ({ target }: Change) =>
  thing('functions database', textOf(target), { page: 'functions' })
export const provider = ({ target }: Change) =>
  thing('sign-in provider', textOf(target), { page: 'config', id: 'providers' })
export const link = ({ target, details }: Change) =>
  thing('tracked link', textOf(details['label']) || shortId(textOf(target)), { page: 'share' })
export const mails = ({ details }: Change) =>
  details['count'] === undefined
    ? 'emails'
    : {
        noun: '',
        name: details['count'] === 1 ? '1 email' : `${textOf(details['count'])} emails`,
        page: 'mailbox',
      }
