import { type Auth, createAuth } from './auth.ts'
import { type Channels, createChannels } from './channels.ts'
import { type Config, createConfig } from './config.ts'
import { watchEmail } from './email.ts'
import { SvcError } from './errors.ts'
import type { On } from './events.ts'
import { takeFragment } from './fragment.ts'
import { createHttp } from './http.ts'
import { createLock, type Lock } from './lock.ts'
import type { Mesh, MeshOptions } from './p2p.ts'
import { isInBrowser, type KeyValueStorage, onAwake, type Platform, thisPlatform } from './platform.ts'
import { playerCall } from './player-call.ts'
import type { Room } from './room.ts'
import { createRooms, type Rooms } from './rooms.ts'
import { createSaves, type Saves } from './saves.ts'
import { createSeenSaves } from './seen-saves.ts'
import { resolveService } from './service-location.ts'
import { createSession, type Player, type SessionEvents } from './session.ts'
import type { Share } from './share-tools.ts'
import { createShare } from './share.ts'
import { Socket } from './socket.ts'
import { createStats, type Stats } from './stats.ts'
import { openStorage } from './storage.ts'

/** What `connect` takes; a page that the service hosts needs nothing. */
export type ConnectOptions = {
  /** Of the service, like `https://api.example.com`; a page that the service hosts needs neither this nor `key`. */
  url?: string
  /** The publishable key (pk_…) of the environment. */
  key?: string
  /** The address of the WebSocket (default: derived from `url`). */
  realtimeUrl?: string
  /** Where the session is kept: `localStorage` in a page, memory elsewhere, unless you give another. */
  storage?: KeyValueStorage
  /** Its name there. Without it the key is part of the name: give one if players are to stay when you change the key. */
  storageKey?: string
  /** False: who has not signed in stays anonymous, and may listen to open channels; `svc.auth.signedIn` tells. */
  guest?: boolean
  /** Of a new guest. */
  displayName?: string
  /** Instead of what the machine offers; in Node 20 a `WebSocket` for rooms and channels. */
  platform?: Partial<Platform>
}

/** A connected client, see `connect`. */
export type Svc = {
  /** Who plays. After the session has ended: who it was. Throws `signed_out` where there never was anybody. */
  readonly player: Player
  /** Returns what stops it. */
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
  /** Loaded when it is first used. */
  p2p: { open(room: Room, options?: MeshOptions): Promise<Mesh> }
  /** Share links; loaded when it is first used. */
  share: Share
  /** Lets go of the connection; the session stays for the next visit. */
  close(): void
}

/**
 * Connects to the service as the player of the last visit, or as a guest: a new one, or after a sign-out the guest who signed in
 * on this device before.
 */
export async function connect(options: ConnectOptions = {}): Promise<Svc> {
  const { guest = true, displayName } = options
  if (options.key?.startsWith('sk_')) throw new SvcError('secret_key_refused')
  const platform = { ...thisPlatform(), ...options.platform }
  const fragment = takeFragment(platform.page)
  const { url, key, realtimeUrl, storageKey } = await resolveService(platform, options)
  if (isInBrowser() && key.startsWith('sk_')) throw new SvcError('secret_key_refused')

  const call = createHttp({ url, headers: { 'X-Svc-Key': key }, platform })
  const storage = openStorage(platform, options.storage)
  const alone: Lock = (work) => work()
  const lock = storage.isShared ? createLock(storageKey, platform, storage) : alone
  const session = createSession({ storageKey, storage, lock, platform, call })
  const asPlayer = playerCall(call, session)

  const socket = new Socket({
    url: realtimeUrl,
    key,
    platform,
    accessToken: async () => (guest || session.isLive ? session.accessToken() : undefined),
    refreshed: session.refreshed,
  })
  let saveVersions = new Map<string, number>()
  const seenSaves = createSeenSaves(storage, `${storageKey}.saves`, () => session.player.id)
  const config = createConfig(call)

  const closing = new AbortController()
  const askEmail = watchEmail({ asPlayer, session }, platform, closing.signal)
  onAwake(platform.page, () => (session.look(), socket.onResumed(), askEmail()), closing.signal)
  // Later than the word of the other tab, but only then can be read what it has written.
  platform.page?.addEventListener('storage', session.look, { signal: closing.signal })
  function close() {
    closing.abort()
    socket.close()
    session.close()
  }

  async function begin() {
    const auth = await createAuth({ call, asPlayer, session, platform }, fragment)
    await session.resume()
    if (guest) await session.begin(displayName)
    askEmail()
    return auth
  }
  const auth = await begin().catch((error: unknown) => {
    close()
    throw error
  })

  let playerId = session.isLive ? session.player.id : undefined
  session.on('player', ({ id }) => id !== playerId && anotherPlayer(id))
  session.on('signed_out', () => {
    playerId = undefined
    socket.end(new SvcError('signed_out'))
  })

  /** Nothing of the one before may reach the next. */
  function anotherPlayer(id: string) {
    const wasNobody = playerId === undefined
    playerId = id
    saveVersions = new Map()
    if (wasNobody) socket.renew()
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
    p2p: { open: async (room, meshOptions) => (await import('./p2p.ts')).openMesh(room, meshOptions) },
    share: createShare({ call, asPlayer, session, platform, signal: closing.signal }),
    close,
  }
}
