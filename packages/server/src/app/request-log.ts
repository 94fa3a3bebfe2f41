import { createRequests, requestsRoutes } from '../capabilities/requests/index.ts'
import type { Foundation, Mounts } from './foundation.ts'

type RequestLogDeps = Omit<Parameters<typeof createRequests>[0], 'clock'>

/** The last requests of an environment, from the memory of all nodes. */
export function buildRequestLog({ clock }: Pick<Foundation, 'clock'>, deps: RequestLogDeps) {
  const requests = createRequests({ clock, ...deps })

  return {
    mount: ({ route }: Mounts) => requestsRoutes(route, requests),
  }
}
