// `env.SVC`: requests to the API of the service, marked with the id of the request or the room that makes them.
import type { Service } from './runtime.ts'

type Inner = {
  fetcher: Service
  /** Only in rooms: the functions of the environment. */
  functions?: Service
}

const marked = (fetcher: Service) => ({
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

export default ({ fetcher, functions }: Inner) => ({
  ...marked(fetcher),
  ...(functions && { functions: atPath(functions) }),
})

/** `env.SVC.functions.fetch('/path', init)`: there is one server, so a path is enough. */
const atPath = (functions: Service) => {
  const { fetch } = marked(functions)
  return {
    fetch: (input: Request | string, init?: RequestInit) =>
      fetch(typeof input === 'string' ? new URL(input, 'http://functions').href : input, init),
  }
}
