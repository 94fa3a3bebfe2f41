import { newError } from '../http/errors.ts'
import { onDemand } from '../on-demand.ts'
import type { Share, ShareDeps } from './share-tools.ts'

/** `svc.share`: its code is loaded with the first use, or if a share link led to this page. */
export function createShare(deps: Omit<ShareDeps, 'newError'>): Share {
  const shareId = new URLSearchParams(deps.platform.page?.location.search).get('ks')
  const tools = onDemand(
    async () => (await import('./share-tools.ts')).createShareTools({ ...deps, newError }, shareId),
    { create: 1, open: 1, restore: 1, browserLink: 1, offerBrowser: 1, reportVisit: 1 },
  )
  // Errors of counting a visit must not affect the game.
  if (shareId) tools.reportVisit().catch(() => {})
  return tools
}
