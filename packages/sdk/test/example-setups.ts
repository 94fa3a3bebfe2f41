/**
 * What the examples of the SDK find when they run: the names that they use, by the type whose functions they show. `first` runs once,
 * `each` before every example, and `before` and `after` around the example of one function. An example may wait for a click or for
 * another player: `after` does that part.
 */
export type Setup = {
  where: 'page' | 'server'
  first?: string
  each?: string
  before?: Record<string, string>
  after?: Record<string, string>
}

/** Examples that are only type-checked, each with the reason. */
export const NOT_RUN: Record<string, string> = {
  'SvcError.signIn': 'a person chooses an account in the window of the provider',
  'Providers.linkWith': 'a person chooses an account in the window of the provider',
  'OwnData.native': 'the ID token comes from a phone of a person',
  'OwnData.unlink': 'the player needs a linked account at a provider, which a person chooses',
  'ServerClient.webhook.test': 'needs a webhook of the developer; the guide runs one',
}

const CONFIG = JSON.stringify({
  features: {
    saves: true,
    stats: true,
    multiplayer: true,
    emailLogin: true,
    hosting: true,
    realtimeChannels: true,
    voice: true,
  },
  stats: [{ key: 'points', aggregation: 'max', leaderboard: { periods: ['daily'] } }],
  multiplayer: {
    modes: [
      { key: 'duel', minPlayers: 2, maxPlayers: 2, fillTimeoutSeconds: 0 },
      { key: 'party', minPlayers: 2, maxPlayers: 8 },
      { key: 'mesh', minPlayers: 2, maxPlayers: 4, transport: 'p2p' },
      { key: 'arena', maxPlayers: 8, room: { class: 'Arena' } },
    ],
  },
})

/** The room with code of the examples. */
const ARENA = `
import { Room } from '@svc/sdk/room'

export class Arena extends Room {
  static tickRate = 20
  state = { balls: {} }
  onJoin(player) { this.state.balls[player.id] = { x: 0, y: 0 } }
  onLeave(player) { delete this.state.balls[player.id] }
  onServerMessage() { return this.players.length }
  messages = {
    move: (player, { dx, dy = 0 }) => {
      const ball = this.state.balls[player.id]
      ball.x += dx
      ball.y += dy
    },
    buy: () => ({ coins: 3 }),
  }
}

export default { fetch: () => Response.json({ place: 1 }) }
`
const FUNCTIONS = '{ "main": "src/index.js", "compatibility_date": "2026-11-04" }\n'

/** The project whose pages and server the examples are. */
export const PROJECT = [
  {
    line: 0,
    language: 'console',
    how: '',
    text: '$ npm run svc -- new ../star-duel\n$ cd ../star-duel\n',
  },
  { line: 0, language: 'json', how: 'svc.config.json', text: CONFIG },
  { line: 0, language: 'js', how: 'functions/src/index.js', text: ARENA },
  { line: 0, language: 'json', how: 'functions/wrangler.jsonc', text: FUNCTIONS },
  {
    line: 0,
    language: 'console',
    how: '',
    text: '$ npm run svc -- money top-up 20\n$ npm run svc -- functions deploy\n$ npm run svc -- deploy public\n',
  },
]

/** The beginning of every page: `svc` is a guest, Bo another player; every name of an element is one of the game's page. */
const PAGE = `
const { connect, isSvcError, SvcError } = await load('/.svc/sdk.js')
const svc = await connect()
const values = new Map()
const storage = {
  getItem: (key) => values.get(key) ?? null,
  setItem: (key, value) => void values.set(key, value),
  removeItem: (key) => void values.delete(key),
}
let bo, room, mesh, channel, call, playerId
const connectBo = async () => (bo ??= await connect({ storage, displayName: 'Bo' }))
for (const name of ['googleButton', 'signInButton', 'shareButton', 'talkButton', 'soundButton'])
  globalThis[name] = document.createElement('button')
for (const name of ['codeInput', 'passwordInput', 'visibleBox']) globalThis[name] = document.createElement('input')
const [downloadLink, newsPlace, microphoneList] = ['a', 'div', 'select'].map((tag) => document.createElement(tag))
const friendIds = [svc.player.id]
const draw = () => {}
const step = (state, playerId, { dx, dy }) => {
  const ball = state.balls[playerId]
  ball.x += dx
  ball.y += dy
}
`

/** The beginning of every program: `server` has the secret key, and Ada is a player. */
const SERVER = `
const { createServerClient } = await load('@svc/sdk/server')
const { connect } = await load('@svc/sdk')
const { SVC_URL: url, SVC_DEVELOPMENT_SECRET_KEY: secretKey, SVC_DEVELOPMENT_PUBLISHABLE_KEY: key } = process.env
const server = createServerClient({ url, secretKey })
let svc, playerId, token, appealId
const newPlayer = async () => {
  svc?.close()
  svc = await connect({ url, key, displayName: 'Ada' })
  playerId = svc.player.id
  token = await svc.auth.accessToken()
}
await newPlayer()
`

const NEW_GUEST = 'await svc.auth.guest()'
const NEW_ROOM = "await svc.rooms.current?.leave(); room = await svc.rooms.create({ mode: 'mesh' })"
const NEW_ARENA = "await svc.rooms.current?.leave(); room = await svc.rooms.create({ mode: 'arena' })"
const NEW_CHANNEL = 'channel = await svc.channels.create({ voice: true, maxMembers: 8 })'
const NEW_APPEAL = `
await newPlayer()
await server.players.ban(playerId)
await svc.auth.accessToken().catch(() => {})
await svc.auth.exportData().catch(() => {})
appealId = (await svc.auth.appeal('It was my little brother.')).id`
const JOINED_NEWS =
  "await server.channels.put('@news', { send: 'server', open: true }); await svc.channels.join('@news')"

export const SETUPS: Record<string, Setup> = {
  connect: { where: 'page' },
  isSvcError: { where: 'page' },
  SvcError: { where: 'page' },
  Svc: { where: 'page' },
  Providers: { where: 'page' },
  Sessions: {
    where: 'page',
    each: NEW_GUEST,
    before: {
      'Sessions.redeemTransferCode':
        'await connectBo(); codeInput.value = (await bo.auth.createTransferCode()).code',
    },
  },
  Email: {
    where: 'page',
    before: { 'Email.signInWithEmail': "passwordInput.value = 'wrong horse'", 'Email.linkEmail': NEW_GUEST },
  },
  OwnData: { where: 'page', each: NEW_GUEST },
  Saves: { where: 'page', each: `${NEW_GUEST}; await svc.saves.put('slot1', { level: 3 })` },
  Stats: { where: 'page', each: 'await svc.stats.submit({ points: 120 })' },
  Config: { where: 'page' },
  Leaderboards: { where: 'page', first: 'await svc.stats.submit({ points: 120 })' },
  Rooms: {
    where: 'page',
    each: 'await connectBo(); await svc.rooms.current?.leave(); await bo.rooms.current?.leave()',
    before: {
      'Rooms.join': "codeInput.value = (await bo.rooms.create({ mode: 'party' })).code",
      'Rooms.quickMatch': "void bo.rooms.quickMatch('duel')",
    },
  },
  Room: {
    where: 'page',
    each: NEW_ROOM,
    before: { 'Room.call': NEW_ARENA, 'Room.predict': NEW_ARENA, 'Room.smooth': NEW_ARENA },
    // The next example leaves the room, so the events must have come.
    after: {
      'Room.on': `
        await connectBo()
        const left = new Promise((heard) => room.on('player_left', heard))
        await bo.rooms.join({ code: room.code })
        await bo.rooms.current.leave()
        await left`,
      'Room.setState': "await new Promise((heard) => room.on('state', heard))",
    },
  },
  Mesh: { where: 'page', first: `${NEW_ROOM}; mesh = await svc.p2p.open(room)` },
  Channels: { where: 'page' },
  Channel: {
    where: 'page',
    first: NEW_CHANNEL,
    before: {
      'Channel.moderate': 'await connectBo(); await bo.channels.join(channel.name); playerId = bo.player.id',
    },
    after: { 'Channel.joinVoice': 'await talkButton.onclick()' },
  },
  VoiceCalls: {
    where: 'page',
    first: NEW_CHANNEL,
    after: { 'VoiceCalls.join': 'await talkButton.onclick()' },
  },
  Call: {
    where: 'page',
    first: `${NEW_CHANNEL}; call = await channel.joinVoice()`,
    after: {
      'Call.setMicrophone': 'await microphoneList.onchange()',
      'Call.resumePlayback': 'soundButton.onclick()',
    },
  },
  Share: { where: 'page' },
  Functions: { where: 'page' },
  openSignIn: {
    where: 'page',
    after: {
      openSignIn: `
        const closed = signInButton.onclick()
        while (!document.querySelector('dialog[open]')) await new Promise((resolve) => setTimeout(resolve, 20))
        document.querySelector('dialog').close()
        await closed`,
    },
  },

  createServerClient: { where: 'server' },
  verifyWebhook: {
    where: 'server',
    first: `
const { createHmac } = await load('node:crypto')
const secret = await server.webhook.secret()
const time = Math.floor(Date.now() / 1000)
const body = JSON.stringify({ type: 'stats.verify' })
const signature = createHmac('sha256', secret).update(time + '.' + body).digest('hex')
const headers = { 'Svc-Signature': 't=' + time + ',v1=' + signature }
const request = new Request('http://localhost', { method: 'POST', body, headers })`,
  },
  Deployments: {
    where: 'server',
    first: `
const bytes = new TextEncoder().encode('<!doctype html><title>Star Duel</title>')
const sha256 = (await load('node:crypto')).hash('sha256', bytes)`,
    before: {
      'Deployments.finalize': 'globalThis.version = (await server.deployments.list({ limit: 1 }))[0].version',
    },
  },
  Appeals: { where: 'server', before: { 'Appeals.list': NEW_APPEAL } },
  Prediction: { where: 'page', each: NEW_ARENA },
  PredictOptions: { where: 'page', each: NEW_ARENA },
  ServerRooms: { where: 'server' },
  ServerClient: {
    where: 'server',
    before: {
      'ServerClient.channels.put': 'await newPlayer()',
      'ServerClient.channels.get': JOINED_NEWS,
      'ServerClient.channels.send': JOINED_NEWS,
    },
    after: { 'ServerClient.webhook.secret': 'svc.close()' },
  },
  createDeveloperClient: { where: 'server' },
  addressOf: { where: 'server' },
  createSecretKeyClient: { where: 'server' },
  DeveloperClient: { where: 'server', after: { 'DeveloperClient.followEvents': 'stop.abort()' } },
  SecretKeyClient: { where: 'server' },
}

/** The developer of the examples of `@svc/sdk/developer`. */
const DEVELOPER = `
const { createDeveloperClient, createSecretKeyClient } = await load('@svc/sdk/developer')
const account = { email: \`developer\${Date.now()}@example.com\`, password: 'correct horse battery' }
const signedUp = await createDeveloperClient({ url, token: () => undefined }).call('signUp', { body: account })
token = signedUp.token
const developer = createDeveloperClient({ url, token: () => token })
const projectId = (await developer.call('createProject', { body: { name: 'Examples' } })).project.id
const environment = createSecretKeyClient({ url, secretKey })
`

/** The code that runs before the first example of a type. */
export function beginningOf(type: string, { where, first = '' }: Setup): string {
  if (where === 'page') return PAGE + first
  return SERVER + (/Developer|SecretKey/.test(type) ? DEVELOPER : '') + first
}

/** The types of the names that examples use without declaring them. */
export const NAMES = `
import type { Call, Channel, Mesh, Room, Svc } from '@svc/sdk'
import type { DeveloperClient, SecretKeyClient } from '@svc/sdk/developer'
import type { ServerClient } from '@svc/sdk/server'
type Arena = { balls: Record<string, { x: number; y: number }> }
declare global {
  const svc: Svc
  const isSvcError: typeof import('@svc/sdk').isSvcError
  const SvcError: typeof import('@svc/sdk').SvcError
  const [room, mesh, channel, call]: [Room, Mesh, Channel, Call]
  const [googleButton, signInButton, shareButton, talkButton, soundButton]: HTMLButtonElement[] & Record<0 | 1 | 2 | 3 | 4, HTMLButtonElement>
  const [codeInput, passwordInput, visibleBox]: [HTMLInputElement, HTMLInputElement, HTMLInputElement]
  const downloadLink: HTMLAnchorElement
  const newsPlace: HTMLElement
  const microphoneList: HTMLSelectElement
  const friendIds: string[]
  const draw: (...what: unknown[]) => void
  const step: (state: Arena, playerId: string, input: { dx: number; dy: number }) => void
  const [playerId, appealId, projectId, token, idToken, nonce, secret, sha256]: string[] & Record<0 | 1 | 2 | 3 | 4 | 5 | 6 | 7, string>
  const version: number
  const bytes: Uint8Array
  const request: Request
  const server: ServerClient
  const developer: DeveloperClient
  const environment: SecretKeyClient
  const process: { env: { SVC_URL: string; SVC_DEVELOPMENT_SECRET_KEY: string } }
}
`
