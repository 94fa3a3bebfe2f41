import { createAuth } from './auth.ts'
import { createChannels } from './channels.ts'
import { createConfig } from './config.ts'
import { SvcError } from './errors.ts'
import { takeFragment } from './fragment.ts'
import { findPlace } from './hosted.ts'
import { createHttp } from './http.ts'
import { createLock, type Lock } from './lock.ts'
import type { MeshOptions } from './p2p.ts'
import { isInBrowser, type KeyValueStorage, type Platform, thisPlatform } from './platform.ts'
import { playerCall } from './player-call.ts'
import type { Room } from './room.ts'
import { createRooms } from './rooms.ts'
import { createSaves } from './saves.ts'
import { createSession } from './session.ts'
import { createShare } from './share.ts'
import { Socket } from './socket.ts'
import { createStats } from './stats.ts'
import { openStorage } from './storage.ts'

export type ConnectOptions = {
  /** Of the service, like `https://api.example.com`; a page that the service hosts needs neither this nor `key`. */
  url?: string
  /** The publishable key (pk_…) of the environment. */
  key?: string
  realtimeUrl?: string
  /** Where the session is kept: `localStorage` in a page, memory elsewhere, unless you give another. */
  storage?: KeyValueStorage
  /** Its name there. Without it the key is part of the name: give one if players are to stay when you change the key. */
  storageKey?: string
  /** Of a new guest. */
  displayName?: string
  /** Instead of what the machine offers; in Node 20 a `WebSocket` for rooms and channels. */
  platform?: Partial<Platform>
}

export type Svc = Awaited<ReturnType<typeof connect>>

/** Connects to the service as the player of the last visit, or as a new guest. */
export async function connect(options: ConnectOptions = {}) {
  if (options.key?.startsWith('sk_')) throw new SvcError('secret_key_refused')
  const platform = { ...thisPlatform(), ...options.platform }
  const fragment = takeFragment(platform.page)
  const { url, key, realtimeUrl, storageKey } = await findPlace(platform, options)
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
    accessToken: session.accessToken,
    refreshed: session.refreshed,
  })
  const saves = createSaves(asPlayer)
  const config = createConfig(call)

  const auth = await createAuth({ call, asPlayer, session, page: platform.page }, fragment)
  await session.start(options.displayName)

  let playerId = session.player.id
  session.on('player', ({ id }) => id !== playerId && anotherPlayer(id))
  session.on('signed_out', () => socket.end(new SvcError('signed_out')))

  /** Nothing of the one before may reach the next. */
  function anotherPlayer(id: string) {
    playerId = id
    saves.forget()
    socket.end(new SvcError('signed_out'))
  }

  return {
    /** Who plays. After the session has ended: who it was. */
    get player() {
      return session.player
    },
    on: session.on,
    auth,
    saves,
    stats: createStats(asPlayer, config),
    config,
    rooms: createRooms({ socket, call }),
    channels: createChannels(socket),
    /** Loaded when it is first used. */
    p2p: {
      open: async (room: Room, meshOptions?: MeshOptions) =>
        (await import('./p2p.ts')).openMesh(room, meshOptions),
    },
    share: createShare(),

    /** Lets go of the connection; the session stays for the next visit. */
    close() {
      socket.close()
      session.close()
    },
  }
}
