import {
  cardPages,
  createAddresses,
  createCardInputs,
  createCardPreview,
  createCards,
  createCardStore,
  createLinkLookup,
  createOpenings,
  createLinks,
  createLinkStore,
  createSalts,
  createStats,
  createStatStore,
  createSweeps,
  createTags,
  createVisits,
  createVisitStore,
  createVisitSums,
  createVisitSumStore,
  hostedPages,
  sharingRoutes,
} from '../capabilities/sharing/index.ts'
import { hourly, hourlyRemoval } from '../platform/jobs/jobs.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Hosting } from './hosting.ts'
import type { Players } from './players.ts'

type SharingDeps = {
  developers: Pick<Developers, 'projects'>
  players: Pick<Players, 'displayNameOf' | 'isChild' | 'deletions'>
  hosting: Hosting
}
export type Sharing = ReturnType<typeof buildSharing>

/** Share links, their pictures, pages and visits. */
export function buildSharing(foundation: Foundation, { developers, players, hosting }: SharingDeps) {
  const { tools, db, blobs, cards: engine, clock, random, counters, secrets } = foundation
  const { configOf, currentConfig, events } = foundation
  const { baseUrl } = foundation.settings
  const { displayNameOf, isChild } = players

  const [linkStore, cardStore, visitStore] = [createLinkStore(db), createCardStore(db), createVisitStore(db)]
  const openings = createOpenings(linkStore, clock)
  const lookup = createLinkLookup(linkStore, {
    isDeleted: players.deletions.has,
    isChild,
    opened: openings.note,
  })
  const config = currentConfig.current
  const files = { live: hosting.liveFiles, find: hosting.findBlob }
  const addresses = createAddresses({ baseUrl })
  const { findAddress, addressOf } = hosting

  const inputs = createCardInputs({
    blobs,
    files,
    config,
    checks: { background: engine.backgroundProblem, font: engine.fontProblem },
  })
  const cards = createCards(cardStore, {
    ...tools,
    draw: engine.draw,
    plain: engine.plain,
    inputs,
    blobs,
    config,
    files,
    links: linkStore,
    lookup,
  })
  const links = createLinks(linkStore, {
    ...tools,
    config,
    files,
    addresses,
    lookup,
    displayNameOf,
    isChild,
    findAddress,
    environmentOf: developers.projects.findEnvironment,
    drawCard: cards.ofLink,
  })
  const tags = createTags({ config, addresses, lookup, findAddress })
  const salts = createSalts({ clock, random, secrets })
  const visits = createVisits(visitStore, {
    clock,
    lookup,
    salts,
    audienceOf: async (environmentId) => (await configOf(environmentId)).audience,
    isChild,
  })
  const stats = createStats(createStatStore(db, clock), clock)
  const sweeps = createSweeps({
    links: linkStore,
    cards: cardStore,
    addUpVisits: createVisitSums(createVisitSumStore(db), clock),
    salts,
    blobs,
    openings,
    clock,
  })
  events.on('environment.purging', sweeps.environment)
  events.on('features.checking', async (environment, problems) => {
    const found = await inputs.problems(environment)
    if (found.length > 0) problems.set('share.images', found)
  })

  return {
    links,

    mount({ route, page, host }: Mounts) {
      sharingRoutes(route, {
        links,
        visits,
        tags,
        stats,
        previewCard: createCardPreview({ draw: engine.draw, inputs, counters, config, files }),
      })
      cardPages(page, {
        cards,
        findApp: hosting.apps.find,
        enforceRateLimit: hosting.apps.enforceRateLimit,
      })
      const { refusalOf, notFound } = hosting
      const pages = hostedPages({ cards, tags, addressOf, refusalOf, notFound })
      host({ path: '.card' }, { respond: pages.cards })
      host({ path: '.share/' }, { respond: pages.links })
    },

    everyMinute: openings.write,
    jobs: [
      hourly('sharing.sums', stats.forgetFutureSums),
      // A node of the version before, which removes visitors without adding them to the sums, must not take the slots of this job.
      hourlyRemoval('sharing.visits', sweeps.visitors),
      hourlyRemoval('sharing.sweep', sweeps.links, sweeps.cards, sweeps.blobs),
    ],
  }
}
