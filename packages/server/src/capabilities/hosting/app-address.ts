import { type Environment, hostLabel } from '../../platform/environment.ts'
import type { App } from './live-versions.ts'

/** Where people find an app, and what it is called. */
export type AppAddress = {
  /** The origin of its own host; undefined while no version is live there. */
  origin: string | undefined
  /** Its origin here, or the first allowed origin without a wildcard; ends with a slash. Undefined if there is neither. */
  url: string | undefined
  name: string
}

type AppAddressDeps = {
  find(label: string): Promise<App | undefined>
  originOf(environment: Environment): string
}

const isWebAddress = (allowed: string) => /^https?:/.test(allowed) && !allowed.includes('*')

/** The address of an app, from the cached app: the only place that knows it. */
export function createAppAddresses({ find, originOf }: AppAddressDeps) {
  function addressOf({
    environment,
    name,
    state,
    config,
  }: Pick<App, 'environment' | 'name' | 'state' | 'config'>): AppAddress {
    const origin = state === 'live' ? originOf(environment) : undefined
    const known = origin ?? config.web.allowedOrigins.find(isWebAddress)
    return { origin, url: known && `${known}/`, name }
  }

  return {
    addressOf,
    async findAddress(environment: Environment): Promise<AppAddress> {
      const app = await find(hostLabel(environment))
      return app ? addressOf(app) : { origin: undefined, url: undefined, name: environment.slug }
    },
  }
}
