// `env.SVC`: requests to the API of the service, marked with the id of the request that makes them.
import type { Service } from './runtime.ts'

export default ({ fetcher }: { fetcher: Service }) => ({
  async fetch(input: Request | string, init: RequestInit | undefined) {
    const response = await fetcher.fetch(input, {
      ...init,
      cf: { svcRequestId: Reflect.get(globalThis, Symbol.for('svc.requestId')) },
    })
    const refusal = response.headers.get('svc-egress-refused')
    if (refusal === null) return response
    await response.body?.cancel()
    throw new Error(refusal)
  },
})
