import { isSession, type Stored } from './session-record.ts'
import { readJson, type SessionStorage } from './storage.ts'

const GUESTS_MAX = 5

/** Guests cannot sign in again, so their sessions are kept here while another player is signed in on this device. */
export function createKeptGuests(storage: SessionStorage, key: string) {
  function read(): Stored[] {
    const kept = readJson<Stored[]>(storage, key)
    return Array.isArray(kept) ? kept.filter(isSession) : []
  }
  const write = (guests: Stored[]) => storage.setItem(key, JSON.stringify(guests))

  return {
    push: (guest: Stored) => write([...read(), guest].slice(-GUESTS_MAX)),
    /** The one that was kept last; the others remain. */
    pop(): Stored | undefined {
      const kept = read()
      const last = kept.pop()
      if (last) write(kept)
      return last
    },
  }
}
