// `env.SVC`: requests to the API of the service, marked with the id of the request that makes them.
/**
 * @import { Service } from './runtime.ts'
 * @param {{ fetcher: Service }} bindings
 */
export default ({ fetcher }) => ({
  /**
   * @param {Request | string} input
   * @param {RequestInit | undefined} init
   */
  async fetch(input, init) {
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
