import { type Config, createConfig } from './data/config.ts'
import { createFunctions, type Functions } from './data/functions.ts'
import type { Leaderboards } from './data/leaderboard-tools.ts'
import { createSaves, type Saves } from './data/saves.ts'
import { createSeenSaves } from './data/seen-saves.ts'
import { createStats, type Stats } from './data/stats.ts'
import { newError, SvcError } from './http/errors.ts'
import { createHttp } from './http/http.ts'
import { isInBrowser, type KeyValueStorage, onResume, type Platform, thisPlatform } from './http/platform.ts'
import { playerCall } from './http/player-call.ts'
import { resolveService } from './http/service-location.ts'
import { onDemand } from './on-demand.ts'
import { type Channels, createChannels } from './realtime/channels.ts'
import type { On } from './realtime/events.ts'
import type { Mesh, MeshOptions } from './realtime/p2p.ts'
import type { Room } from './realtime/room.ts'
import { createRooms, type Rooms } from './realtime/rooms.ts'
import { Socket } from './realtime/socket.ts'
import { type Auth, createAuth } from './session/auth.ts'
import { takeFragment } from './session/fragment.ts'
import { createLock, type Lock } from './session/lock.ts'
import { createSession, type Player, type SessionEvents } from './session/session.ts'
import { openStorage } from './session/storage.ts'
import { watchEmail } from './session/watch-email.ts'
import type { Share } from './share/share-tools.ts'
import { createShare } from './share/share.ts'

/** The options of `connect`; a page that the service hosts needs none. */
export type ConnectOptions = {
  /** URL of the service, such as `https://api.example.com`; a hosted page needs neither this nor `key`. */
  url?: string
  /** The publishable key (pk_…) of the environment. */
  key?: string
  /** The URL of the WebSocket (default: derived from `url`). */
  realtimeUrl?: string
  /** URL of the server functions (default: `/.fn` of a page that the service hosts). */
  functionsUrl?: string
  /** Where the session is stored (default: `localStorage` in a page, memory elsewhere). */
  storage?: KeyValueStorage
  /** Name of the session in the storage. By default it contains the key: set it to keep sessions after a change of the key. */
  storageKey?: string
  /** False: a visitor who has not signed in stays anonymous, and may listen to open channels. See `svc.auth.signedIn`. */
  guest?: boolean
  /** Display name of a new guest. */
  displayName?: string
  /** Replaces parts of the platform; in Node 20 pass a `WebSocket` for rooms and channels. */
  platform?: Partial<Platform>
}

/** A connected client, see `connect`. */
export type Svc = {
  /** The current player, or the last one after the session has ended. Throws `signed_out` if there never was a player. */
  readonly player: Player
  /**
   * Adds a listener; returns a function that removes it.
   *
   * @example
   * svc.on('player', (player) => console.log(`Hello ${player.displayName}`)) // → Hello Ada
   * await svc.auth.rename('Ada')
   */
  on: On<SessionEvents>
  /** Sign-in, sign-out and the account of the player. */
  auth: Auth
  /** Cloud saves of the player. */
  saves: Saves
  /** Reports and reads stats. */
  stats: Stats
  /** The public part of the config. */
  config: Config
  /** Multiplayer rooms and matchmaking. */
  rooms: Rooms
  /** Realtime channels. */
  channels: Channels
  /** Calls the server functions of the environment. */
  functions: Functions
  /** Direct connections between the players of a room; the code is loaded when it is first used. */
  p2p: {
    /**
     * Connects the players of a peer-to-peer room with each other; their messages do not pass through the service.
     *
     * @example
     * const room = await svc.rooms.create({ mode: 'mesh' })
     * const mesh = await svc.p2p.open(room)
     * mesh.on('peer_open', (player) => mesh.send('hello', { from: svc.player.displayName }, { to: [player.id] }))
     */
    open(room: Room, options?: MeshOptions): Promise<Mesh>
  }
  /** Share links; loaded when it is first used. */
  share: Share
  /** Ranks of players by a stat; loaded when it is first used. */
  leaderboards: Leaderboards
  /**
   * Closes the connection; the session is kept for the next visit.
   *
   * @example
   * svc.close()
   */
  close(): void
}

/**
 * Connects to the service as the player of the last visit, or as a guest: a new one, or after a sign-out the guest who signed in
 * on this device before.
 *
 * @example
 * import { connect } from '@svc/sdk'
 *
 * const svc = await connect()
 * console.log(svc.player.displayName, svc.player.isGuest) // → Guest-… true
 */
export async function connect(options: ConnectOptions = {}): Promise<Svc> {
  const { guest = true, displayName } = options
  if (options.key?.startsWith('sk_')) throw new SvcError('secret_key_refused')
  const platform = { ...thisPlatform(), ...options.platform }
  const fragment = takeFragment(platform.page)
  const { url, key, realtimeUrl, storageKey, isKept } = await resolveService(platform, options)
  if (isInBrowser() && key.startsWith('sk_')) throw new SvcError('secret_key_refused')

  const call = createHttp({ url, headers: { 'X-Svc-Key': key }, platform })
  const storage = openStorage(platform, options.storage)
  const noLock: Lock = (work) => work()
  const lock = storage.isShared ? createLock(storageKey, platform, storage) : noLock
  const session = createSession({
    storageKey,
    storage,
    lock,
    platform,
    call,
    isKept: isKept && storage.isShared,
  })
  const asPlayer = playerCall(call, session)

  const socket = new Socket({
    url: realtimeUrl,
    key,
    platform,
    accessToken: async () => (guest || session.isLive ? session.accessToken() : undefined),
    refreshed: session.refreshed,
    ended: session.noteBan,
  })
  let saveVersions = new Map<string, number>()
  const seenSaves = createSeenSaves(storage, `${storageKey}.saves`, () => session.player.id)
  const config = createConfig(call)

  const closing = new AbortController()
  const checkEmail = watchEmail({ asPlayer, session }, platform, closing.signal)
  onResume(platform.page, () => (session.sync(), socket.onResumed(), checkEmail()), closing.signal)
  // This event is later than the message of the other tab, but only now its writes are visible here.
  platform.page?.addEventListener('storage', session.sync, { signal: closing.signal })
  function close() {
    closing.abort()
    socket.close()
    session.close()
  }

  async function begin() {
    const auth = await createAuth({ call, asPlayer, session, platform }, fragment)
    await session.resume()
    await session.begin(guest, displayName)
    checkEmail()
    return auth
  }
  const auth = await begin().catch((error: unknown) => {
    close()
    throw error
  })

  let playerId = session.isLive ? session.player.id : undefined
  session.on('player', ({ id }) => id !== playerId && switchPlayer(id))
  session.on('signed_out', () => {
    playerId = undefined
    socket.end(new SvcError('signed_out'))
  })

  // After the caller had the time to add its listeners.
  setTimeout(session.announceBan)

  /** Clears everything of the previous player, so that none of it reaches the next one. */
  function switchPlayer(id: string) {
    const wasAnonymous = playerId === undefined
    playerId = id
    saveVersions = new Map()
    if (wasAnonymous) socket.renew()
    else socket.end(new SvcError('signed_out'))
  }

  return {
    get player() {
      return session.player
    },
    on: session.on,
    auth,
    saves: createSaves(asPlayer, () => saveVersions, seenSaves),
    stats: createStats(asPlayer, config),
    config,
    rooms: createRooms({ socket, call }),
    channels: createChannels(socket),
    functions: createFunctions(
      options.functionsUrl ?? (options.url === undefined ? '/.fn' : undefined),
      platform,
      session,
    ),
    p2p: onDemand<Svc['p2p']>(
      async () => {
        const { openMesh } = await import('./realtime/p2p.ts')
        return { open: (room, meshOptions) => openMesh(room, newError, meshOptions) }
      },
      { open: 1 },
    ),
    share: createShare({ call, asPlayer, session, platform, signal: closing.signal }),
    leaderboards: onDemand(
      async () => (await import('./data/leaderboard-tools.ts')).createLeaderboardTools(call, asPlayer),
      { top: 1, around: 1, ranks: 1, periods: 1, isVisible: 1, setVisible: 1 },
    ),
    close,
  }
}
