import type { SessionView } from '@svc/contract/players'

import { readJson, type SessionStorage } from './storage.ts'

/** What the storage contains of a session. */
export type Stored = Pick<SessionView, 'player' | 'accessToken' | 'refreshToken'> & {
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
  /** Grows with each change, also if the clock is set back: of two copies the one with the higher number is newer. */
  savedAt?: number
}

/** The session in memory and in the storage, which other tabs and other scripts of the page also write. */
export type SessionRecord = ReturnType<typeof createSessionRecord>

/** Whether it has what a session needs: the storage may contain anything, and what answers may not be the service. */
export const isSession = (value: Partial<SessionView> | undefined): value is SessionView =>
  [value?.player?.id, value?.accessToken, value?.refreshToken].every(
    (text) => text && typeof text === 'string',
  )

/**
 * A sign-out leaves a mark. A storage that is empty without the mark was cleared, which is no sign-out: then the session is written
 * back (AUT-25).
 */
export function createSessionRecord(storage: SessionStorage, key: string, now: () => number) {
  /** Storage key of the mark: the reason of the sign-out, for the other tabs. */
  const markKey = `${key}.ended`
  let current: Stored | undefined
  /** That of the newest record, or of the sign-out after it. */
  let savedAt = 0
  let isStored = false

  const nextNumber = () => (savedAt = Math.max(now(), savedAt + 1))

  /** If not all of it fits: what the next visit needs to ask for the rest. */
  function put(stored: Stored) {
    const { id } = stored.player
    isStored = [stored, { ...stored, player: { id } }].some((each) => storage.keep(key, JSON.stringify(each)))
  }

  return {
    /** Whether the next visit finds the session in the storage. */
    get isStored(): boolean {
      return current !== undefined && isStored
    },
    /** The reason of the last sign-out, if no session followed it. */
    get endedBy(): string | null {
      return storage.getItem(markKey)
    },

    /** The newest session: that of the storage, unless the one in memory is newer, or was lost from the storage. */
    read(): Stored | undefined {
      const value = readJson<Stored>(storage, key)
      const found = isSession(value) ? value : undefined
      if (found && !((found.savedAt ?? savedAt) < savedAt)) {
        const isSame = current?.player.id === found.player.id
        current = { ...found, player: { ...(isSame && current?.player), ...found.player } }
        savedAt = found.savedAt ?? savedAt
        isStored = true
      } else if (!found && storage.getItem(markKey) !== null) current = undefined
      else if (current) put(current)
      // This page has signed out since, and a page that did not know wrote its copy back.
      else if (found) this.remove(storage.getItem(markKey) ?? 'logout')
      return current
    },

    write(stored: Stored) {
      current = { ...stored, savedAt: nextNumber() }
      put(current)
      // The used refresh token in an older record would end the session at the next visit.
      if (!isStored) storage.removeItem(key)
      storage.removeItem(markKey)
    },

    /** The mark is first: a tab that finds no session must find the mark. In a full storage there is room for it afterwards. */
    remove(reason: string) {
      nextNumber()
      current = undefined
      storage.setItem(markKey, reason)
      storage.removeItem(key)
      storage.setItem(markKey, reason)
    },
  }
}
