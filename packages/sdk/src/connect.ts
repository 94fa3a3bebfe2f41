import { type Config, createConfig } from './data/config.ts'
import { createFunctions, type Functions } from './data/functions.ts'
import { createKeptReports } from './data/kept-reports.ts'
import type { Leaderboards } from './data/leaderboard-tools.ts'
import { createSaves, type Saves } from './data/saves.ts'
import { createSeenSaves } from './data/seen-saves.ts'
import { createStats, type Stats } from './data/stats.ts'
import { banIn, isSvcError, isTransient, newError, refusal, SvcError } from './http/errors.ts'
import { createHttp } from './http/http.ts'
import { type KeyValueStorage, onResume, type Platform, thisPlatform } from './http/platform.ts'
import { playerCall } from './http/player-call.ts'
import { playerRetry } from './http/retry.ts'
import { resolveService } from './http/service-location.ts'
import { onDemand } from './on-demand.ts'
import type { Channels } from './realtime/channels.ts'
import type { On } from './realtime/events.ts'
import type { Mesh, MeshOptions } from './realtime/p2p.ts'
import { createPresence } from './realtime/presence.ts'
import type { Room } from './realtime/room.ts'
import { createRooms, type Rooms } from './realtime/rooms.ts'
import { Socket } from './realtime/socket.ts'
import { type Auth, createAuth } from './session/auth.ts'
import { takeFragment } from './session/fragment.ts'
import { createLock, type Lock } from './session/lock.ts'
import { playgroundFrame } from './session/playground-frame.ts'
import { createSession, type Player, type SessionEvents } from './session/session.ts'
import { openStorage } from './session/storage.ts'
import { watchEmail } from './session/watch-email.ts'
import type { Share } from './share/share-tools.ts'
import { createShare } from './share/share.ts'

/** Options for `connect`. A page that svc hosts needs none. */
export type ConnectOptions = {
  /** The URL of the service, such as `https://api.example.com` (default, on a hosted page: its own service). */
  url?: string
  /** The environment's publishable key, `pk_…` (default, on a hosted page: the key of its environment). */
  key?: string
  /** The URL of the WebSocket (default: derived from `url`). */
  realtimeUrl?: string
  /** The URL of your server functions (default, on a hosted page: `/.fn`). */
  functionsUrl?: string
  /** Where the session is stored (default: `localStorage` in a page, in a frame without it partitioned cookies, memory elsewhere). */
  storage?: KeyValueStorage
  /** The name of the session in the storage. By default it contains the key; set it to keep sessions when you replace the key. */
  storageKey?: string
  /** False: visitors who have not signed in stay anonymous, and can only listen to open channels. See `svc.auth.signedIn`. */
  guest?: boolean
  /** The display name of a new guest. */
  displayName?: string
  /** Replaces parts of the platform. Node 20 has no `WebSocket`: pass that of the package `ws` for rooms and channels. */
  platform?: Partial<Platform>
}

/** The connected client, from `connect`. */
export type Svc = {
  /** The current player; after the session has ended, the last one. Throws `signed_out` if there never was a player. */
  readonly player: Player
  /**
   * Adds a listener for an event. Returns a function that removes it.
   *
   * @example
   * svc.on('player', ({ displayName }) => console.log(displayName)) // → Ada
   * await svc.auth.rename('Ada')
   */
  on: On<SessionEvents>
  /** Sign-in, sign-out and the player's account. */
  auth: Auth
  /** The player's cloud saves. */
  saves: Saves
  /** Numbers that your game reports for the player. */
  stats: Stats
  /** Player rankings by stat. The code is loaded on first use. */
  leaderboards: Leaderboards
  /** Multiplayer rooms and matchmaking. */
  rooms: Rooms
  /** Chat, presence and voice in named channels. The code is loaded on first use. */
  channels: Channels
  /** Direct connections between the players of a room. The code is loaded on first use. */
  p2p: {
    /**
     * Connects the players of a peer-to-peer room with each other. Their messages do not pass through the service.
     *
     * @throws `turn_unavailable` The mode allows only relayed connections, and the service has no TURN server.
     * @throws `not_available` This browser has no WebRTC.
     *
     * @example
     * const room = await svc.rooms.create({ mode: 'mesh' })
     * const mesh = await svc.p2p.open(room)
     * mesh.on('peer_open', (player) => mesh.send('hello', null, { to: [player.id] }))
     */
    open(room: Room, options?: MeshOptions): Promise<Mesh>
  }
  /** Share links. The code is loaded on first use. */
  share: Share
  /** Calls your server functions. */
  functions: Functions
  /** What pages may know about the config. */
  config: Config
  /**
   * Closes the connection and removes timers and listeners, so that a Node process can exit. The session is kept for the next visit.
   * Changes of a room that were not sent yet are dropped, and the seat is kept for a while: `await room.leave()` first.
   *
   * @example
   * await svc.rooms.current?.leave()
   * svc.close()
   */
  close(): void
}

/**
 * Connects to the service. A returning visitor is the same player as before; a new visitor becomes a guest, without a sign-up.
 *
 * @throws `network_error` The service cannot be reached.
 * @throws `invalid_key` The key was revoked, or belongs to another service.
 * @throws `origin_not_allowed` The page's origin is not in `web.allowedOrigins` of the config.
 *
 * @example
 * import { connect } from '@svc/sdk'
 *
 * const svc = await connect()
 * console.log(svc.player.displayName, svc.player.isGuest) // → Guest-… true
 */
export async function connect(options: ConnectOptions = {}): Promise<Svc> {
  const { guest = true, displayName } = options
  const platform = { ...thisPlatform(), ...options.platform }
  const fragment = takeFragment(platform.page)
  const { url, key, realtimeUrl, isKept, storageKey: name } = await resolveService(platform, options)
  if (key.startsWith('sk_')) throw new SvcError('secret_key_refused')

  const frame = playgroundFrame(platform.page, key)
  const storageKey = name + frame
  const call = createHttp({
    url,
    headers: { 'X-Svc-Key': key },
    platform,
    retry: playerRetry(platform.random),
  })
  const storage = await openStorage(platform, options.storage)
  const noLock: Lock = (work) => work()
  // A page with an opaque origin cannot call its host.
  const isKeptByHost = !frame && isKept && platform.page?.origin !== 'null'
  const lock = storage.isShared || isKeptByHost ? createLock(storageKey, platform, storage) : noLock
  const session = createSession({
    storageKey,
    storage,
    lock,
    platform,
    call,
    isKept: isKeptByHost,
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
  const keptReports = createKeptReports(storage, `${storageKey}.stats`, () => session.player.id)
  const config = createConfig(call)

  const closing = new AbortController()
  const checkEmail = watchEmail({ asPlayer, session }, platform, closing.signal)
  onResume(platform.page, () => (session.sync(), socket.onResumed(), checkEmail()), closing.signal)
  // `storage` is later than the message of the other tab, but only now its writes are visible here. The others are the last moment to
  // write back what was cleared from the storage.
  for (const event of ['storage', 'pagehide', 'visibilitychange'])
    platform.page?.addEventListener(event, session.sync, { signal: closing.signal })
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

  let playerId: string | undefined
  const switchPlayer = ({ id }: Player) => {
    if (id === playerId) return
    const wasAnonymous = playerId === undefined
    playerId = id
    saveVersions = new Map()
    if (wasAnonymous) socket.renew()
    else socket.end(new SvcError('signed_out'))
    // The dashboard delays the connections of this player. It ignores the messages of other windows.
    if (frame) platform.page?.parent.postMessage({ svcPlayer: id }, '*')
  }
  session.on('player', switchPlayer)
  if (session.isLive) switchPlayer(session.player)
  session.on('signed_out', () => {
    playerId = undefined
    socket.end(new SvcError('signed_out'))
  })

  let channels: Channels | undefined
  async function loadChannels(): Promise<Channels> {
    const { createChannels } = await import('./realtime/channels.ts')
    const errors = { banIn, isSvcError, isTransient, newError, refusal }
    return (channels ??= createChannels({ socket, createPresence, onDemand, ...errors }))
  }

  // After the caller had the time to add its listeners.
  setTimeout(session.announceBan)

  return {
    get player() {
      return session.player
    },
    on: session.on,
    auth,
    saves: createSaves(asPlayer, () => saveVersions, seenSaves, platform.page, closing.signal),
    stats: createStats(
      asPlayer,
      config,
      keptReports,
      storage.isShared ? createLock(`${storageKey}.stats`, platform, storage) : noLock,
    ),
    config,
    rooms: createRooms({ socket, call, asPlayer }),
    channels: {
      ...onDemand<Omit<Channels, 'joined'>>(loadChannels, { join: 1, create: 1, joinOrCreate: 1 }),
      get joined() {
        return channels?.joined ?? []
      },
    },
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
      { top: 1, nearby: 1, around: 1, ranks: 1, periods: 1, isVisible: 1, setVisible: 1 },
    ),
    close,
  }
}
