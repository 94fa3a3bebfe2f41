import type { PlayerView, SessionView } from '@svc/contract/players'

import { isSvcError, SvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { pause, type Platform, randomText, withTimeout } from '../http/platform.ts'
import { createEvents } from '../realtime/events.ts'
import { isSame } from '../realtime/patches.ts'
import { createKeptGuests } from './kept-guests.ts'
import type { Lock } from './lock.ts'
import { createSessionCalls, type HostSession, type Tokens } from './session-calls.ts'
import { createSessionRecord, isSession, type Stored } from './session-record.ts'
import { openChannel, type SessionStorage } from './storage.ts'

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
const RACE_POLLS_MAX = 10
/** Then the game starts with the player it knows, and the refresh goes on. */
const START_WAIT_MS = 3_000

/** The session of the player: stored, restored and refreshed; shared by all tabs. */
export function createSession({ storageKey, storage, lock, platform, call, isKept }: SessionDeps) {
  const events = createEvents<SessionEvents>()
  const record = createSessionRecord(storage, storageKey, platform.now)
  const guests = createKeptGuests(storage, `${storageKey}.guests`)
  const calls = createSessionCalls(call, isKept)
  let otherTabs = storage.isShared ? openChannel(storageKey, sync) : undefined
  let seen = record.read()
  let lastPlayer = seen?.player
  let ban = banOf(seen?.ban)
  let refreshing: Promise<Stored> | undefined
  let keeping: Promise<unknown> | undefined

  /** Reads the storage, which other tabs also write, and emits events for what they changed. */
  function sync(): Stored | undefined {
    const before = seen
    seen = record.read()
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
    stored?.endedBy ?? record.endedBy ?? 'logout'

  function keepGuest(next: Player) {
    const stored = sync()
    if (!stored || stored.endedBy || !stored.player.isGuest || stored.player.id === next.id) return
    guests.push(stored)
  }

  async function restoreGuest() {
    const last = guests.pop()
    if (!last) return
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

  function notifyTabs() {
    sync()
    otherTabs?.postMessage('changed')
  }

  function write(stored: Stored) {
    record.write(stored)
    notifyTabs()
  }

  function remove(reason: SignedOutReason) {
    record.remove(reason)
    notifyTabs()
  }

  function store(session: HostSession): Stored {
    if (!isSession(session)) throw new SvcError('unexpected_answer')
    const { player, accessToken, refreshToken, expiresIn, nonce = randomText() }: HostSession = session
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
    if (stored.accessToken !== staleToken) return stored
    // Of several tabs without a common storage only the cookie has the newest token.
    const fromCookie = isKept && !record.isStored && (await exchange(stored, { nonce: stored.nonce }))
    return fromCookie || (await exchange(stored)) || stored
  }

  /** Undefined if the host has no cookie. */
  async function exchange(
    stored: Stored | undefined,
    { refreshToken, nonce }: Tokens = stored ?? {},
  ): Promise<Stored | undefined> {
    try {
      const session = await calls.refresh({ refreshToken, nonce }, () => isUnchanged(stored))
      return session.player && (isUnchanged(stored) ? store(session) : requireLive())
    } catch (error) {
      if (isSvcError(error, 'refresh_race')) return waitForOtherTab(stored)
      if (!isUnchanged(stored)) return requireLive()
      // The last one: what the storage contains is no token.
      if (stored && isSvcError(error, 'session_revoked', 'invalid_refresh_token', 'invalid_request'))
        end(stored, error)
      throw error
    }
  }

  /** Whether no other tab has refreshed or signed in since. */
  const isUnchanged = (stored: Stored | undefined) => sync()?.refreshToken === stored?.refreshToken

  /** SES-13: the other tab has the new tokens; sending the old one again would revoke the session of both. */
  async function waitForOtherTab(stored: Stored | undefined): Promise<Stored> {
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
  const restoreKept = () => (record.endedBy ? calls.end() : exchange(undefined, { nonce: randomText() }))

  /** For a new session. The host gets its copy later: nothing needs it before the next visit. */
  function start(session: SessionView): Stored {
    const stored = store(session)
    if (isKept) keeping = lock(keepAtHost).catch(() => {})
    return stored
  }

  /** A page without a storage asks a second time: only that request shows whether the browser keeps the cookie. */
  async function keepAtHost() {
    for (let asked = 0; seen && asked < (record.isStored ? 1 : 2); asked++)
      await calls.keep({ refreshToken: seen.refreshToken, nonce: seen.nonce })
  }

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
    get isKept(): boolean {
      return isLive() && (record.isStored || calls.isInCookie)
    },

    /** The service rejected something; remembers the ban if that is the reason. */
    noteBan: ({ code, details }: SvcError) => void (code === 'player_banned' && setBan(details)),
    announceBan: () => void (ban && events.emit('banned', ban)),

    /** Continues the session of the last visit; works without a network. */
    async resume() {
      const stored = sync()
      if (!stored) return
      const refreshed: Promise<unknown> = stored.endedBy
        ? // SES-10: fails while the ban is active, and always for players with a sign-in method.
          lock(async () => seen?.endedBy && exchange(seen))
        : // A full storage had no room for the name.
          stored.player.displayName
          ? accessToken()
          : refresh(stored.accessToken)
      await withTimeout(refreshed, START_WAIT_MS, () => new SvcError('network_error')).catch(() => {})
    },
    /** If no player is signed in: restores the session of the host or a kept guest, or creates a guest; of several new tabs only one does. */
    async begin(isGuest: boolean, displayName?: string) {
      if (sync()) return
      // A tab that has the session in memory, and has not noticed that the storage was cleared, writes it back.
      notifyTabs()
      await lock(async () => {
        if (isGuest && !sync()) await restoreGuest()
        if (isKept && !sync()) await restoreKept()
        if (!isGuest || sync()) return
        const session = await calls.newGuest(displayName)
        if (!sync()) start(session)
      })
      if (!record.isStored) await keeping
    },

    /** Reads changes of other tabs, for tabs that missed the message. */
    sync: () => void sync(),

    accessToken,
    /** Replaces a token that the service calls expired, whatever the local clock. */
    refreshed: async (staleToken: string) => (await refresh(staleToken)).accessToken,

    guest: async (displayName?: string) => {
      const session = await calls.newGuest(displayName)
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

    /** Removes the local session first, so that it also works without a network, and while a refresh has the lock. */
    async signOut() {
      const stored = sync()
      remove('logout')
      if (stored) await calls.end(stored.refreshToken)
    },
    /** The account was deleted. */
    endDeleted() {
      remove('deleted')
      if (isKept) void calls.end()
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
