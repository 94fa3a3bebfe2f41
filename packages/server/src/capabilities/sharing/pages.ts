import { isForPlayers } from '@svc/contract/common/endpoint'
import type { Config } from '@svc/contract/config/defaults'
import * as contract from '@svc/contract/sharing'

import type { Page } from '../../edge/http/pages.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Content } from '../../platform/http/responses.ts'
import type { Cards } from './cards.ts'
import type { AppAddress } from './ports.ts'
import type { Tags } from './tags.ts'

type State = 'live' | 'empty' | 'off' | 'suspended'

type PageDeps = {
  cards: Cards
  /** The app of a host label: `star-duel`, `star-duel--dev`. */
  findApp(label: string): Promise<{ environment: Environment; state: State } | undefined>
  /** The limit per address that hosted apps have; `environment` is undefined if the host belongs to no app. */
  enforceRateLimit(environment: Environment | undefined, address: string): Promise<void>
}

/** The pictures. They need no key: any page and any crawler may read them (SHR-07). */
export function cardPages(page: Page, { cards, findApp, enforceRateLimit }: PageDeps) {
  async function environmentOf(label: string | undefined, address: string): Promise<Environment> {
    const app = await findApp(label ?? '')
    await enforceRateLimit(app?.environment, address)
    if (!app || app.state === 'suspended') throw new ApiError('not_found')
    return app.environment
  }

  page(
    '/v1/share/images/:label/card.png',
    async ({ params, address }) => cards.ofApp(await environmentOf(params['label'], address)),
    { isForPlayers: isForPlayers(contract.readDefaultCard) },
  )
  page(
    '/v1/share/images/:label/:shareId.png',
    async ({ params, address }) =>
      cards.ofLink(await environmentOf(params['label'], address), params['shareId'] ?? ''),
    { isForPlayers: isForPlayers(contract.readLinkCard) },
  )
}

/** A request to the host of an app, for a path that is reserved for the service. */
export type HostRequest = {
  app: HostedApp
  method: string
  path: string
}
type HostedApp = { environment: Environment; name: string; config: Config; state: State }

type HostPageDeps = Pick<PageDeps, 'cards'> & {
  tags: Tags
  addressOf(app: HostedApp): AppAddress
  /** The response if this app cannot be served; otherwise undefined. */
  refusalOf(state: State, method: string): Content | undefined
  notFound: Content
}

const LINK_CARD = /^\/\.card\/([^/]+)\.png$/
const SHARE_PAGE = /^\/\.share\/([^/]+)$/

/** The same pictures on the hosts of apps (SHR-08), and the pages of links; also while nothing is live. */
export function hostedPages({ cards, tags, addressOf, refusalOf, notFound }: HostPageDeps) {
  const served =
    (respond: (app: HostedApp, path: string) => Promise<Content> | undefined) =>
    async ({ app, method, path }: HostRequest): Promise<Content> =>
      refusalOf(app.state, method) ?? (await respond(app, path)) ?? notFound

  return {
    cards: served(({ environment }, path) => {
      if (path === '/.card.png') return cards.ofApp(environment)
      const shareId = LINK_CARD.exec(path)?.[1]
      return shareId === undefined ? undefined : cards.ofLink(environment, shareId)
    }),
    links: served((app, path) => {
      const shareId = SHARE_PAGE.exec(path)?.[1]
      if (shareId === undefined) return undefined
      const { environment, config } = app
      return tags.page({ environment, share: config.share, address: addressOf(app) }, shareId)
    }),
  }
}
