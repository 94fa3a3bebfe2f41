import * as contract from '@svc/contract/sharing'

import type { Route } from '../../edge/http/routes.ts'
import type { PreviewCard } from './card-preview.ts'
import type { Links } from './links.ts'
import type { Stats } from './stats.ts'
import type { Tags } from './tags.ts'
import type { Visits } from './visits.ts'

export type Sharing = { links: Links; visits: Visits; tags: Tags; stats: Stats; previewCard: PreviewCard }

export function sharingRoutes(route: Route, { links, visits, tags, stats, previewCard }: Sharing) {
  route(contract.createShareLink, ({ environment, player, body, client }) =>
    links.create(environment, player, body, client.acceptLanguage),
  )
  route(contract.readShareLink, ({ environment, params }) => links.read(environment, params.shareId))
  route(contract.reportShareVisit, ({ environment, player, body, client }) =>
    visits.report(environment, player, body, client),
  )
  route(contract.readShareTags, ({ environment, query, client }) =>
    tags.read(environment, query.ks, client.acceptLanguage),
  )

  route(contract.readShareTagsAsAdmin, ({ environment, query, client }) =>
    tags.read(environment, query.ks, client.acceptLanguage),
  )
  route(contract.createTrackedLink, ({ environment, actor, body }) =>
    links.createTracked(environment, actor, body),
  )
  route(contract.previewCard, ({ environment, body }) => previewCard(environment, body))
  route(contract.readShareStats, ({ environment, query }) => stats.read(environment, query))
}
