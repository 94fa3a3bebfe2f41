import { confirmNews } from '@svc/contract/news'

import {
  createAddresses,
  createNewsStore,
  createOptIn,
  createSender,
  newsPages,
  newsRoutes,
} from '../capabilities/news/index.ts'
import type { Developers } from './developers.ts'
import type { Ground, Mouths } from './ground.ts'
import type { Players } from './players.ts'

export type News = Awaited<ReturnType<typeof buildNews>>

/** News of the service itself, for players who asked for them. */
export async function buildNews(ground: Ground, { outbox }: Developers, { ages }: Players) {
  const { baseUrl, brand: service } = ground.settings
  const store = createNewsStore(ground.db)
  const common = {
    clock: ground.clock,
    random: ground.random,
    baseUrl,
    service,
    addresses: createAddresses(await ground.keptKey('news:addresses')),
  }
  const optIn = createOptIn(store, {
    ...common,
    isOffered: async (environmentId) => (await ground.configOf(environmentId)).svcNews.optIn,
    bandOf: ages.bandOf,
    mails: outbox,
  })
  const sender = createSender(store, { ...common, mayGetNews: optIn.mayGetNews, sendMail: outbox.send })

  return {
    optIn,
    sender,

    mount({ route, page, form }: Mouths) {
      const admit = async (address: string) => ground.admit?.(confirmNews, {}, address)
      newsRoutes(route, optIn)
      newsPages(page, form, { news: optIn, service, admit })
    },

    everyHour: sender.tidy,
  }
}
