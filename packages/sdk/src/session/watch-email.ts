import type { readPlayer } from '@svc/contract/players'

import type { Platform } from '../http/platform.ts'
import type { EmailDeps } from './email.ts'
import { openChannel } from './storage.ts'

/** The page that confirms an address posts here, for other pages of its origin. */
const CONFIRMED = 'svc.email'

/**
 * Detects that the address of the player was confirmed in another page. Calls the service only while there is an unconfirmed
 * address: when the page is opened, when it gets the focus, and when the built-in page of this origin has confirmed one.
 */
export function watchEmail(
  { asPlayer, session }: Pick<EmailDeps, 'asPlayer' | 'session'>,
  { page }: Pick<Platform, 'page'>,
  signal: AbortSignal,
): () => void {
  if (!page) return () => {}
  let asking: Promise<unknown> | undefined
  const ask = () => {
    if (!session.isLive || !session.player.email || session.player.emailVerified) return
    asking ??= asPlayer<typeof readPlayer>('GET /v1/players/me', {})
      .then(({ player }) => session.updatePlayer(player))
      // Without a network or a session: the next check retries.
      .catch(() => {})
      .finally(() => (asking = undefined))
  }
  const confirmed = openChannel(CONFIRMED, ask)
  signal.addEventListener('abort', () => confirmed?.close())
  page.addEventListener('focus', ask, { signal })
  return ask
}
