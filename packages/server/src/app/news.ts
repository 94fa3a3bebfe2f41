import { confirmNews } from '@svc/contract/news'

import {
  createAddresses,
  createNewsStore,
  createOptIn,
  createSender,
  newsPages,
  newsRoutes,
} from '../capabilities/news/index.ts'
import { NO_CALLER } from '../edge/http/callers/callers.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import type { Ages } from './ages.ts'
import type { Foundation, Mounts } from './foundation.ts'

export type News = Awaited<ReturnType<typeof buildNews>>

/** The service's own newsletter, for players who subscribed to it. */
export async function buildNews(foundation: Foundation, { ages }: Pick<Ages, 'ages'>) {
  const { baseUrl, operatorName: service } = foundation.settings
  const { outbox } = foundation
  const store = createNewsStore(foundation.db)
  const common = {
    clock: foundation.clock,
    random: foundation.random,
    baseUrl,
    service,
    addresses: createAddresses(await foundation.persistentKey('news:addresses')),
  }
  const optIn = createOptIn(store, {
    ...common,
    isOffered: async (environmentId) => (await foundation.configOf(environmentId)).svcNews.optIn,
    bandOf: ages.bandOf,
    mails: outbox,
  })
  const sender = createSender(store, { ...common, mayGetNews: optIn.mayGetNews, sendMail: outbox.send })

  return {
    optIn,
    sender,

    mount({ route, page, form }: Mounts) {
      const enforceRateLimit = async (address: string) =>
        foundation.enforceRateLimit?.(confirmNews, NO_CALLER, address)
      newsRoutes(route, optIn)
      newsPages(page, form, { news: optIn, service, enforceRateLimit })
    },

    jobs: [hourlyRemoval('news.purge', sender.purgeExpired)],
  }
}
