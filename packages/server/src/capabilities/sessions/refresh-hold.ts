import { setTimeout as pause } from 'node:timers/promises'

/** With 25 ms no simultaneous use of a refresh token was misread as theft; this is twice that. */
const HELD_MS = 50
/** Uses of so many ms wait together: what they write then shares a commit, which is half of the CPU time of a refresh. */
const GATHERED_MS = 10

/**
 * Delays the use of a refresh token by 50 to 60 ms, so that all simultaneous requests see the unused token before the first of them
 * uses it. Connections that were opened meanwhile are accepted before it ends.
 */
export function createRefreshHold(allAccepted: () => Promise<void>): () => Promise<void> {
  let gathering: Promise<void> | undefined

  async function hold(): Promise<void> {
    await pause(GATHERED_MS)
    gathering = undefined
    await pause(HELD_MS)
    await allAccepted()
  }

  return () => (gathering ??= hold())
}
