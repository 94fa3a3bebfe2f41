import type { PlayerView, SessionView, signInAsGuest } from '@svc/contract/players'
import type { logOutPlayer, refreshSession } from '@svc/contract/sessions'

import { isSvcError, SvcError } from './errors.ts'
import { createEvents } from './events.ts'
import type { Call } from './http.ts'
import type { Lock } from './lock.ts'
import { pause, type Platform, randomText } from './platform.ts'
import type { SessionStorage } from './storage.ts'

/** The player as the service describes it. */
export type Player = PlayerView

/** Why nobody is signed in any more. */
export type SignedOutReason =
  | 'logout'
  | 'ban'
  | 'reuse'
  | 'password_reset'
  | 'unlink'
  | 'deleted'
  | 'expired'
  | (string & {})

/** The events of `svc`. */
export type SessionEvents = {
  /** Who plays, or what is known of them, has changed: here, or in another tab. */
  player: [player: Player]
  /** No player is signed in any more. */
  signed_out: [reason: SignedOutReason]
}

type Stored = Pick<SessionView, 'player' | 'accessToken' | 'refreshToken'> & {
  /** By the clock of this machine, so that it need not agree with the service's. */
  expiresAt: number
  /**
   * For the next refresh, by whichever tab: the same token with the same nonce gives the same answer for a minute. So neither
   * a lost answer nor two tabs at once can use the token up.
   */
  nonce: string
  /** Kept after a ban: its refresh token is what an appeal is made with. */
  endedBy?: string
}

/** What `createSession` takes. */
export type SessionDeps = {
  storageKey: string
  storage: SessionStorage
  lock: Lock
  platform: Pick<Platform, 'now' | 'random'>
  /** As anybody, with the publishable key. */
  call: Call
}

/** The session of the player. */
export type Session = ReturnType<typeof createSession>

const EARLY_MS = 60_000
/** Together with the timeout of a call well within the minute of the nonce. */
const REFRESH_ATTEMPTS_MAX = 3
const RACE_LOOKS_MAX = 10

/** The player's session: kept, restored, refreshed, and the same in all tabs. */
export function createSession({ storageKey, storage, lock, platform, call }: SessionDeps) {
  const events = createEvents<SessionEvents>()
  /** Where the reason is kept for the other tabs, once the session itself is gone. */
  const reasonKey = `${storageKey}.ended`
  let otherTabs = storage.isShared ? openChannel(storageKey, look) : undefined
  let seen = readStored()
  let lastPlayer = seen?.player
  let refreshing: Promise<Stored> | undefined

  function readStored(key = storageKey): Stored | undefined {
    try {
      return JSON.parse(storage.getItem(key) ?? 'null') ?? undefined
    } catch {
      return undefined
    }
  }

  /** The storage is the truth, as other tabs write it too; whoever listens here is told what they have changed. */
  function look(): Stored | undefined {
    const before = seen
    seen = readStored()
    lastPlayer = seen?.player ?? lastPlayer
    const wasIn = before && !before.endedBy
    if (!seen || seen.endedBy) {
      if (wasIn) events.emit('signed_out', reasonOf(seen))
    } else if (!wasIn || !isSame(seen.player, before.player)) events.emit('player', seen.player)
    return seen
  }

  const reasonOf = (stored: Stored | undefined): SignedOutReason =>
    stored?.endedBy ?? storage.getItem(reasonKey) ?? 'logout'

  /** A guest has no other way back in: its session waits here until nobody is signed in on this device. */
  const guestKey = `${storageKey}.guest`

  function keepGuest(next: Player) {
    const stored = look()
    if (stored && !stored.endedBy && stored.player.isGuest && stored.player.id !== next.id)
      storage.setItem(guestKey, JSON.stringify(stored))
  }

  async function restoreGuest() {
    const kept = readStored(guestKey)
    if (!kept) return
    storage.removeItem(guestKey)
    write({ ...kept, expiresAt: 0 })
    // Without a network it is tried again at the first call; if the session has ended, nobody is signed in.
    await refreshNow(kept.accessToken).catch(() => {})
  }

  const isLive = () => seen !== undefined && !seen.endedBy

  function live(): Stored {
    const stored = look()
    if (stored && !stored.endedBy) return stored
    throw new SvcError('signed_out', { details: { reason: reasonOf(stored) } })
  }

  function write(stored: Stored | undefined) {
    if (stored) storage.setItem(storageKey, JSON.stringify(stored))
    else storage.removeItem(storageKey)
    look()
    otherTabs?.postMessage('look')
  }

  function put({ player, accessToken, refreshToken, expiresIn }: SessionView): Stored {
    write({
      player,
      accessToken,
      refreshToken,
      expiresAt: platform.now() + expiresIn * 1_000,
      nonce: randomText(),
    })
    return live()
  }

  function refresh(staleToken: string): Promise<Stored> {
    refreshing ??= lock(() => refreshNow(staleToken)).finally(() => (refreshing = undefined))
    return refreshing
  }

  async function refreshNow(staleToken: string): Promise<Stored> {
    const stored = live()
    if (stored.accessToken !== staleToken) return stored
    try {
      const session = await requestRefresh(stored)
      return isStill(stored) ? put(session) : live()
    } catch (error) {
      if (isSvcError(error, 'refresh_race')) return writtenByAnotherTab(stored)
      if (!isSvcError(error, 'session_revoked', 'invalid_refresh_token')) throw error
      if (!isStill(stored)) return live()
      end(stored, endReason(error))
      throw error
    }
  }

  /** No other tab has refreshed or signed in meanwhile. */
  const isStill = ({ refreshToken }: Stored) => look()?.refreshToken === refreshToken

  async function requestRefresh({ refreshToken, nonce }: Stored): Promise<SessionView> {
    for (let attempt = 1; ; attempt++) {
      try {
        const body = { refreshToken, nonce }
        return await call<typeof refreshSession>('POST /v1/auth/refresh', { body })
      } catch (error) {
        if (!isSvcError(error, 'network_error') || attempt === REFRESH_ATTEMPTS_MAX) throw error
        await pause(200 * attempt)
      }
    }
  }

  /** SES-13: the winner has the new tokens; sending the old one again would end the session for both. */
  async function writtenByAnotherTab(stored: Stored): Promise<Stored> {
    for (let looks = 0; looks < RACE_LOOKS_MAX; looks++) {
      await pause(100 + 400 * platform.random())
      if (!isStill(stored)) return live()
    }
    throw new SvcError('refresh_race', { status: 409 })
  }

  /** What a ban has ended is kept: its refresh token proves who appeals, and brings a guest back when the ban is over. */
  function end(stored: Stored, reason: SignedOutReason) {
    if (reason === 'ban') return write({ ...stored, endedBy: reason })
    remove(reason)
  }

  function remove(reason: SignedOutReason) {
    // Before the session goes, so that whoever sees that it is gone finds out why.
    storage.setItem(reasonKey, reason)
    write(undefined)
  }

  /** SES-10: refused as long as the ban holds, and for good where there is a sign-in method. */
  async function comeBackAfterBan(stored: Stored) {
    try {
      const session = await requestRefresh(stored)
      if (isStill(stored)) put(session)
    } catch (error) {
      if (!isSvcError(error, 'session_revoked', 'invalid_refresh_token') || !isStill(stored)) return
      const reason = endReason(error)
      if (reason !== 'ban') end(stored, reason)
    }
  }

  async function accessToken(): Promise<string> {
    const stored = live()
    if (stored.expiresAt - platform.now() > EARLY_MS) return stored.accessToken
    try {
      return (await refresh(stored.accessToken)).accessToken
    } catch (error) {
      // It may be good for another minute, or for longer, if the clock here is wrong: let the service decide.
      if (isStill(stored) && isLive()) return stored.accessToken
      throw error
    }
  }

  const newGuest = (displayName: string | undefined) =>
    call<typeof signInAsGuest>('POST /v1/auth/guest', { body: displayName ? { displayName } : {} })

  return {
    on: events.on,

    /** After the session has ended: who it was. */
    get player(): Player {
      if (!lastPlayer) throw new SvcError('signed_out')
      return lastPlayer
    },
    get isLive(): boolean {
      return isLive()
    },

    /** Goes on where the last visit ended; also without a network, until something is asked of the service. */
    async resume() {
      if (look()?.endedBy === 'ban') await lock(async () => seen?.endedBy === 'ban' && comeBackAfterBan(seen))
      else if (isLive()) await accessToken().catch(() => {})
    },
    /** Unless a player is signed in: as the guest that was kept, or as a new one. Of several new tabs one creates the guest. */
    begin: (displayName?: string) =>
      lock(async () => {
        if (!look()) await restoreGuest()
        if (!look()) put(await newGuest(displayName))
      }),

    /** What other tabs have changed, for whoever could not hear it. */
    look: () => void look(),

    accessToken,
    /** A token the service calls expired, whatever our clock says. */
    refreshed: async (staleToken: string) => (await refresh(staleToken)).accessToken,

    guest: async (displayName?: string) => {
      const session = await newGuest(displayName)
      return (await lock(async () => put(session))).player
    },
    startSession: async (session: SessionView) =>
      (await lock(async () => (keepGuest(session.player), put(session)))).player,

    /** The service has told something new about the player. */
    updatePlayer: (player: Player) =>
      lock(async () => {
        const stored = live()
        if (stored.player.id === player.id) write({ ...stored, player })
        return player
      }),

    /** For what proves by the refresh token who asks: no other tab uses it up meanwhile. */
    async withTokens<T>(work: (tokens: Pick<Stored, 'accessToken' | 'refreshToken'>) => Promise<T>) {
      const token = await accessToken()
      const proven = () => lock(async () => work(live()))
      return proven().catch(async (error: unknown) => {
        if (!isSvcError(error, 'token_expired')) throw error
        await refresh(token)
        return proven()
      })
    },
    /** Also the one that a ban has revoked. */
    get refreshToken(): string | undefined {
      return look()?.refreshToken
    },

    /** Here first, so that it also works without a network. */
    signOut: () =>
      lock(async () => {
        const stored = look()
        remove('logout')
        if (!stored) return
        const body = { refreshToken: stored.refreshToken }
        await call<typeof logOutPlayer>('POST /v1/auth/logout', { body }).catch(() => {})
      }),
    /** The account is no more. */
    forget: () => remove('deleted'),

    close() {
      otherTabs?.close()
      otherTabs = undefined
    },
  }
}

function endReason({ details }: SvcError): SignedOutReason {
  const { reason } = details
  return typeof reason === 'string' ? reason : 'expired'
}

const isSame = (a: Player, b: Player) => JSON.stringify(a) === JSON.stringify(b)

function openChannel(name: string, changed: () => void): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined
  const channel = new BroadcastChannel(name)
  channel.onmessage = changed
  // Node would not end while it listens.
  if ('unref' in channel) (channel as unknown as { unref(): void }).unref()
  return channel
}
