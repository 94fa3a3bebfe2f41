import type { RequestOf } from '@svc/contract/common/endpoint'
import type { PlayerView, SessionView, signInAsGuest } from '@svc/contract/players'
import type { logOutPlayer, refreshSession } from '@svc/contract/sessions'

import { isSvcError, SvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { pause, type Platform, randomText } from '../http/platform.ts'
import { createEvents } from '../realtime/events.ts'
import { isSame } from '../realtime/patches.ts'
import type { Lock } from './lock.ts'
import { openChannel, readJson, type SessionStorage } from './storage.ts'

/** A ban. Show it, and let the player appeal with `svc.auth.appeal`. */
export type Ban = {
  /** For `svc.auth.appeal`. */
  sanctionId: string
  /** What the moderator wrote, or null. */
  reason: string | null
  /** When the ban ends; null if it has no end. */
  until: Date | null
}

/** A player. `ban` is set once the SDK has learned that the player is banned. */
export type Player = PlayerView & { ban?: Ban }

/** Why the player was signed out. */
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
  /** The current player or their data changed, here or in another tab. */
  player: [player: Player]
  /** Nobody is signed in any longer. */
  signed_out: [reason: SignedOutReason]
  /** The player is banned. Add the listener right after `connect`: it also reports a ban that `connect` found. */
  banned: [ban: Ban]
}

type Stored = Pick<SessionView, 'player' | 'accessToken' | 'refreshToken'> & {
  /** By the local clock, so that it need not agree with the clock of the service. */
  expiresAt: number
  /**
   * For the next refresh in any tab: the same token with the same nonce gets the same new token, until that is used (SES-19). So
   * neither a lost response nor two concurrent tabs end the session.
   */
  nonce: string
  /** Set after a ban: the session is kept because an appeal needs its refresh token. */
  endedBy?: string
  /** Details of the error that reported the ban. */
  ban?: Record<string, unknown>
}

type NewSession = SessionView & { nonce?: string }

/** What `createSession` takes. */
export type SessionDeps = {
  storageKey: string
  storage: SessionStorage
  lock: Lock
  platform: Pick<Platform, 'now' | 'random'>
  /** Calls without a player, with the publishable key. */
  call: Call
  /** Whether the host of the page keeps a copy of the refresh token in a cookie: then it refreshes, and ends, the session. */
  isKept?: boolean | undefined
}

/** The session of the player. */
export type Session = ReturnType<typeof createSession>

const REFRESH_BEFORE_MS = 60_000
const REFRESH_ATTEMPTS_MAX = 3
const RACE_POLLS_MAX = 10
const GUESTS_KEPT = 5

/** The session of the player: stored, restored and refreshed; shared by all tabs. */
export function createSession({ storageKey, storage, lock, platform, call, isKept }: SessionDeps) {
  const events = createEvents<SessionEvents>()
  /** Storage key of the reason of the sign-out, for the other tabs. */
  const reasonKey = `${storageKey}.ended`
  let otherTabs = storage.isShared ? openChannel(storageKey, sync) : undefined
  let seen = readStored()
  let lastPlayer = seen?.player
  let ban = banOf(seen?.ban)
  let refreshing: Promise<Stored> | undefined

  function readStored(): Stored | undefined {
    return readJson<Stored>(storage, storageKey)
  }

  /** Reads the storage, which other tabs also write, and emits events for what they changed. */
  function sync(): Stored | undefined {
    const before = seen
    seen = readStored()
    lastPlayer = seen?.player ?? lastPlayer
    const wasIn = before && !before.endedBy
    if (!seen || seen.endedBy) {
      if (wasIn) events.emit('signed_out', reasonOf(seen))
      setBan(seen?.ban)
    } else if (!wasIn || !isSame(seen.player, before.player)) {
      if (!wasIn || seen.player.id !== before.player.id) ban = undefined
      events.emit('player', seen.player)
    }
    return seen
  }

  function setBan(details: Stored['ban']) {
    const found = banOf(details)
    if (!found || found.sanctionId === ban?.sanctionId) return
    ban = found
    events.emit('banned', ban)
  }

  const reasonOf = (stored: Stored | undefined): SignedOutReason =>
    stored?.endedBy ?? storage.getItem(reasonKey) ?? 'logout'

  /** Guests cannot sign in again, so their sessions are kept here while another player is signed in on this device. */
  const guestsKey = `${storageKey}.guests`
  const keptGuests = () => readJson<Stored[]>(storage, guestsKey) ?? []

  function keepGuest(next: Player) {
    const stored = sync()
    if (!stored || stored.endedBy || !stored.player.isGuest || stored.player.id === next.id) return
    storage.setItem(guestsKey, JSON.stringify([...keptGuests(), stored].slice(-GUESTS_KEPT)))
  }

  /** The one that was kept last; the others remain. */
  async function restoreGuest() {
    const kept = keptGuests()
    const last = kept.pop()
    if (!last) return
    storage.setItem(guestsKey, JSON.stringify(kept))
    write({ ...last, expiresAt: 0 })
    // Without a network the first call retries it; if the session has ended, no player is signed in.
    await refreshNow(last.accessToken).catch(() => {})
  }

  const isLive = () => seen !== undefined && !seen.endedBy

  function requireLive(): Stored {
    const stored = sync()
    if (stored && !stored.endedBy) return stored
    throw new SvcError('signed_out', { details: { reason: reasonOf(stored) } })
  }

  function write(stored: Stored | undefined) {
    if (stored) storage.setItem(storageKey, JSON.stringify(stored))
    else storage.removeItem(storageKey)
    sync()
    otherTabs?.postMessage('changed')
  }

  /** `nonce`: the host has it in its cookie too. */
  function store({ player, accessToken, refreshToken, expiresIn, nonce = randomText() }: NewSession): Stored {
    write({
      player,
      accessToken,
      refreshToken,
      expiresAt: platform.now() + expiresIn * 1_000,
      nonce,
    })
    return requireLive()
  }

  function refresh(staleToken: string): Promise<Stored> {
    refreshing ??= lock(() => refreshNow(staleToken)).finally(() => (refreshing = undefined))
    return refreshing
  }

  async function refreshNow(staleToken: string): Promise<Stored> {
    const stored = requireLive()
    return (stored.accessToken === staleToken && (await exchange(stored))) || stored
  }

  /** Without a token, the host uses that of its cookie; undefined if it has none. */
  async function exchange(stored: Stored | Pick<Stored, 'nonce'>): Promise<Stored | undefined> {
    try {
      const session = await requestRefresh(stored as Stored)
      return session.player && (isUnchanged(stored) ? store(session) : requireLive())
    } catch (error) {
      if (isSvcError(error, 'refresh_race')) return waitForOtherTab(stored)
      if (!isUnchanged(stored)) return requireLive()
      if (isSvcError(error, 'session_revoked', 'invalid_refresh_token')) end(stored as Stored, error)
      throw error
    }
  }

  /** Whether no other tab has refreshed or signed in since. */
  const isUnchanged = ({ refreshToken }: Partial<Stored>) => sync()?.refreshToken === refreshToken

  /** `/.svc/session` on the host of the page, if the host keeps the session; otherwise the endpoint of the service. */
  const callHost = <E extends typeof refreshSession | typeof logOutPlayer = typeof logOutPlayer>(
    method: 'POST' | 'PUT' | 'DELETE',
    body: object,
    otherwise?: E['route'],
  ) => call<E>((isKept ? `${method} /.svc/session` : otherwise) as E['route'], { body } as RequestOf<E>)

  async function requestRefresh(stored: Stored): Promise<NewSession> {
    const { refreshToken, nonce } = stored
    for (let attempt = 1; ; attempt++) {
      try {
        return await callHost<typeof refreshSession>('POST', { refreshToken, nonce }, 'POST /v1/auth/refresh')
      } catch (error) {
        if (!isSvcError(error, 'network_error') || attempt === REFRESH_ATTEMPTS_MAX) throw error
        await pause(200 * attempt)
        // This page may have slept since the attempt, and another tab may have used the successor of this token.
        if (!isUnchanged(stored)) throw error
      }
    }
  }

  /** SES-13: the other tab has the new tokens; sending the old one again would revoke the session of both. */
  async function waitForOtherTab(stored: Partial<Stored>): Promise<Stored> {
    for (let polls = 0; polls < RACE_POLLS_MAX; polls++) {
      await pause(100 + 400 * platform.random())
      if (!isUnchanged(stored)) return requireLive()
    }
    throw new SvcError('refresh_race', { status: 409 })
  }

  /** A session ended by a ban is kept: its refresh token is needed for an appeal, and restores a guest after the ban. */
  function end(stored: Stored, error: SvcError) {
    const reason = endReason(error)
    if (reason === 'ban') return write({ ...stored, endedBy: reason, ban: error.details })
    remove(reason)
  }

  function remove(reason: SignedOutReason) {
    // Written first: a tab that finds the session removed must find the reason.
    storage.setItem(reasonKey, reason)
    write(undefined)
  }

  async function accessToken(): Promise<string> {
    const stored = requireLive()
    if (stored.expiresAt - platform.now() > REFRESH_BEFORE_MS) return stored.accessToken
    try {
      return (await refresh(stored.accessToken)).accessToken
    } catch (error) {
      // The token may be valid for another minute, or longer if the local clock is wrong: let the service decide.
      if (isUnchanged(stored) && isLive()) return stored.accessToken
      throw error
    }
  }

  /** Continues the session of the host if the storage was lost. After a sign-out that did not reach the host, ends it. */
  const restoreKept = () => (storage.getItem(reasonKey) ? endKept() : exchange({ nonce: randomText() }))

  const endKept = () => callHost('DELETE', {}).catch(() => {})

  /** For a new session. The host gets its copy later: nothing needs it before the next visit. */
  function start(session: SessionView): Stored {
    const stored = store(session)
    if (isKept)
      lock(async () => seen && callHost('PUT', { refreshToken: seen.refreshToken, nonce: seen.nonce })).catch(
        () => {},
      )
    return stored
  }

  const newGuest = (displayName: string | undefined) =>
    call<typeof signInAsGuest>('POST /v1/auth/guest', { body: displayName ? { displayName } : {} })

  return {
    on: events.on,

    /** The current player, or the last one after the session has ended. */
    get player(): Player {
      if (!lastPlayer) throw new SvcError('signed_out')
      return ban ? { ...lastPlayer, ban } : lastPlayer
    },
    get isLive(): boolean {
      return isLive()
    },

    /** The service rejected something; remembers the ban if that is the reason. */
    noteBan: ({ code, details }: SvcError) => void (code === 'player_banned' && setBan(details)),
    announceBan: () => void (ban && events.emit('banned', ban)),

    /** Continues the session of the last visit; works without a network. */
    async resume() {
      // SES-10: fails while the ban is active, and always for players with a sign-in method.
      if (sync()?.endedBy === 'ban')
        await lock(async () => seen?.endedBy === 'ban' && exchange(seen)).catch(() => {})
      else if (isLive()) await accessToken().catch(() => {})
    },
    /** If no player is signed in: restores the session of the host or a kept guest, or creates a guest; of several new tabs only one does. */
    begin: (isGuest: boolean, displayName?: string) =>
      lock(async () => {
        if (isGuest && !sync()) await restoreGuest()
        if (isKept && !sync()) await restoreKept()
        if (isGuest && !sync()) start(await newGuest(displayName))
      }),

    /** Reads changes of other tabs, for tabs that missed the message. */
    sync: () => void sync(),

    accessToken,
    /** Replaces a token that the service calls expired, whatever the local clock. */
    refreshed: async (staleToken: string) => (await refresh(staleToken)).accessToken,

    guest: async (displayName?: string) => {
      const session = await newGuest(displayName)
      return (await lock(async () => start(session))).player
    },
    startSession: async (session: SessionView) =>
      (await lock(async () => (keepGuest(session.player), start(session)))).player,

    /** Stores a newer version of the player. */
    updatePlayer: (player: Player) =>
      lock(async () => {
        const stored = requireLive()
        if (stored.player.id === player.id) write({ ...stored, player })
        return player
      }),

    /** For calls that send the refresh token: under the lock, so that no other tab uses it at the same time. */
    async withTokens<T>(work: (tokens: Pick<Stored, 'accessToken' | 'refreshToken'>) => Promise<T>) {
      const token = await accessToken()
      const attempt = () => lock(async () => work(requireLive()))
      return attempt().catch(async (error: unknown) => {
        if (!isSvcError(error, 'token_expired')) throw error
        await refresh(token)
        return attempt()
      })
    },
    /** Returns the token even if a ban has revoked it. */
    get refreshToken(): string | undefined {
      return sync()?.refreshToken
    },

    /** Removes the local session first, so that it also works without a network. */
    signOut: () =>
      lock(async () => {
        const stored = sync()
        remove('logout')
        if (!stored) return
        const { refreshToken } = stored
        await callHost('DELETE', { refreshToken }, 'POST /v1/auth/logout').catch(() => {})
      }),
    /** The account was deleted. */
    endDeleted() {
      remove('deleted')
      if (isKept) void endKept()
    },

    close() {
      otherTabs?.close()
      otherTabs = undefined
    },
  }
}

/** The service writes the end as text or in milliseconds. */
const banOf = ({ sanctionId, note, expiresAt }: Record<string, unknown> = {}): Ban | undefined =>
  sanctionId
    ? {
        sanctionId: sanctionId as string,
        reason: (note as string) ?? null,
        until: expiresAt ? new Date(expiresAt as string | number) : null,
      }
    : undefined

function endReason({ details }: SvcError): SignedOutReason {
  const { reason } = details
  return typeof reason === 'string' ? reason : 'expired'
}
