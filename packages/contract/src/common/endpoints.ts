import type { TSchema } from 'typebox'

import * as audit from '../audit.ts'
import * as config from '../config/config.ts'
import * as configDocument from '../config/document.ts'
import * as agentAuthorizations from '../developers/agent-authorizations.ts'
import * as agents from '../developers/agents.ts'
import * as browserCodes from '../developers/browser-codes.ts'
import * as developers from '../developers/developers.ts'
import * as deviceCodes from '../developers/device-codes.ts'
import * as members from '../developers/members.ts'
import * as projects from '../developers/projects.ts'
import * as providerCredentials from '../developers/provider-credentials.ts'
import * as developerSignIn from '../developers/sign-in.ts'
import * as events from '../events.ts'
import * as functions from '../functions.ts'
import * as gameData from '../game-data.ts'
import * as hosting from '../hosting.ts'
import * as leaderboards from '../leaderboards.ts'
import * as mail from '../mail.ts'
import * as moderation from '../moderation.ts'
import * as money from '../money.ts'
import * as news from '../news.ts'
import * as operator from '../operator.ts'
import * as platform from '../platform.ts'
import * as playerSignIn from '../player-sign-in.ts'
import * as players from '../players.ts'
import * as playground from '../playground.ts'
import * as channels from '../realtime/channels.ts'
import * as codeRooms from '../realtime/code-rooms.ts'
import * as liveView from '../realtime/live-view.ts'
import * as rooms from '../realtime/rooms.ts'
import * as requests from '../requests.ts'
import * as saves from '../saves.ts'
import * as sessions from '../sessions.ts'
import * as sharing from '../sharing.ts'
import * as stats from '../stats.ts'
import type { Endpoint, Method } from './endpoint.ts'

/** An endpoint with the name under which the contract exports it. */
export type NamedEndpoint = Endpoint & { name: string }

/** A heading of the API page, of the tables in docs/ and of the OpenAPI document. */
export type Part = {
  id: string
  title: string
  about: string
  endpoints: readonly NamedEndpoint[]
  /** The schemas with a name in its modules. */
  shapes: Readonly<Record<string, TSchema>>
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The endpoints that a module exports, by their export names, the shortest URLs first. */
export function endpointsOf(module: object): NamedEndpoint[] {
  return Object.entries(module)
    .filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1]))
    .map(([name, endpoint]) => ({ name, ...endpoint }))
    .sort((a, b) => compare(sortKey(a), sortKey(b)))
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'route' in value && 'caller' in value

const shapesOf = (module: object): [string, TSchema][] =>
  Object.entries(module).filter((entry): entry is [string, TSchema] => isObjectShape(entry[1]))

const isObjectShape = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && 'properties' in value && 'type' in value

function sortKey({ route }: Endpoint): string {
  const [method, path] = route.split(' ') as [Method, string]
  return `${path.split('/').length} ${path} ${METHODS.indexOf(method)}`
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const part = (id: string, title: string, about: string, ...modules: object[]): Part => ({
  id,
  title,
  about,
  endpoints: modules.flatMap(endpointsOf),
  shapes: Object.fromEntries(modules.flatMap(shapesOf)),
})

/** Every endpoint of the service, under the part of the specification it belongs to. */
export const PARTS: readonly Part[] = [
  part('players', 'Players', 'Guests, accounts, their own data.', players, playground),
  part(
    'sessions',
    'Sessions',
    'Refresh tokens, sign out, transfer to another browser, verify tokens on your server.',
    sessions,
  ),
  part(
    'player-sign-in',
    'External sign-in for players',
    'Google, Discord, Apple and X, with PKCE.',
    playerSignIn,
  ),
  part('moderation', 'Bans, appeals, ages', 'Always available; no feature to enable.', moderation),
  part(
    'news',
    'The news box',
    'News opt-in for sign-up screens; nothing is sent until the address is confirmed by email.',
    news,
  ),
  part('saves', 'Cloud saves', 'Versioned JSON documents, one set per player.', saves),
  part('stats', 'Stats', 'Numbers players report, per day, week, month and all time.', stats, gameData),
  part('leaderboards', 'Leaderboards', 'Player rankings by stat.', leaderboards),
  part('sharing', 'Sharing', 'Share links, card images, page tags, visits and X profiles.', sharing),
  part(
    'rooms',
    'Multiplayer rooms',
    'Lists open rooms, and lets your server open rooms with code; everything else uses the WebSocket.',
    rooms,
    codeRooms,
  ),
  part(
    'channels',
    'Realtime channels',
    'Manage channels from your server; players join and send over the WebSocket.',
    channels,
  ),
  part(
    'developers',
    'Developers',
    'Accounts of the people who own projects: sign-up, sign-in, password.',
    developers,
    deviceCodes,
    browserCodes,
  ),
  part(
    'developer-sign-in',
    'External sign-in for developers',
    'Sign-in with Google and GitHub, with PKCE.',
    developerSignIn,
  ),
  part(
    'projects',
    'Projects and keys',
    'A project has two environments, development and production, each with its own keys.',
    projects,
  ),
  part(
    'members',
    'Members and roles',
    'Who works on a project, with which role; invitations; transfer of ownership.',
    members,
  ),
  part(
    'config',
    'Config and features',
    'One document per environment enables features and defines the game.',
    config,
    configDocument,
  ),
  part(
    'providers',
    'Sign-in providers',
    'Credentials for player sign-in; stored secrets are never returned.',
    providerCredentials,
  ),
  part(
    'agents',
    'Agents',
    'Programs that act for one developer in one environment; destructive calls wait for an approval.',
    agents,
    agentAuthorizations,
  ),
  part('hosting', 'App hosting', 'Versioned deployments of static files, with rollback.', hosting),
  part(
    'functions',
    'Server functions',
    'Run your own code with databases, KV, files, queues, durable objects, cron jobs and secrets.',
    functions,
  ),
  part(
    'live-view',
    'Live view',
    'Current connections, rooms, queues and channels; a stream of changes.',
    liveView,
    events,
  ),
  part(
    'money',
    'Money',
    'Prepaid balance, payments, usage and invite codes. Developer sessions only; keys cannot read or move money.',
    money,
  ),
  part(
    'operator',
    'Operators',
    'For operators of the service: its state, backups, developer accounts and invitations.',
    operator,
  ),
  part('audit', 'Audit', 'Who changed what, and when.', audit),
  part('requests', 'Request log', 'The latest requests of your app and your server, in memory.', requests),
  part('mail', 'Mail', 'Emails of a development environment, for tests and debugging.', mail),
  part('platform', 'The service', 'Information about the service, and health checks.', platform),
]

/** Every endpoint of the service. */
export const endpointList: readonly NamedEndpoint[] = PARTS.flatMap(({ endpoints }) => endpoints)
