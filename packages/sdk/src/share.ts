import { SvcError } from './errors.ts'
import type { Share, ShareDeps, ShareTools } from './share-tools.ts'

/** `svc.share`: its code is loaded with the first use, or if a share link led to this page. */
export function createShare(deps: Omit<ShareDeps, 'newError'>): Share {
  const shareId = new URLSearchParams(deps.platform.page?.location.search).get('ks')
  let loading: Promise<ShareTools> | undefined
  const load = () =>
    (loading ??= import('./share-tools.ts').then(
      ({ createShareTools }) =>
        createShareTools({ ...deps, newError: (...given) => new SvcError(...given) }, shareId),
      (error) => {
        loading = undefined
        throw error
      },
    ))
  // Counting a visit must never disturb the game.
  if (shareId)
    load()
      .then((tools) => tools.reportVisit())
      .catch(() => {})

  return {
    create: async (link) => (await load()).create(link),
    open: async (link) => (await load()).open(link),
    restore: async () => (await load()).restore(),
    browserLink: async () => (await load()).browserLink(),
    offerBrowser: async (options) => (await load()).offerBrowser(options),
  }
}
