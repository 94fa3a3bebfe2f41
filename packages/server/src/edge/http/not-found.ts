import type { FastifyInstance } from 'fastify'

import { ApiError } from '../../platform/api-error.ts'

/** A URL that exists for other methods answers 405 and lists them in Allow; any other 404 (GEN-08). */
export function handleNotFound(app: FastifyInstance) {
  const known: { segments: string[]; methods: string[]; isForPlayers: boolean }[] = []

  app.addHook('onRoute', ({ url, method, config }) => {
    const methods = Array.isArray(method) ? method : [method]
    known.push({ segments: url.split('/'), methods, isForPlayers: config?.isForPlayers === true })
  })

  app.setNotFoundHandler(async (request, reply) => {
    const segments = (request.url.split('?')[0] ?? '').split('/')
    const methods = known
      .filter((route) => !request.appHost || route.isForPlayers)
      .filter((route) => matches(route.segments, segments))
      .flatMap((route) => route.methods)
    // A route with this method that did not match has a parameter that matches less, such as no line break.
    if (methods.length === 0 || methods.includes(request.method)) throw new ApiError('not_found')
    reply.header('Allow', [...new Set(methods)].toSorted().join(', '))
    throw new ApiError('method_not_allowed')
  })
}

const matches = (pattern: string[], segments: string[]) =>
  pattern.length === segments.length && pattern.every((part, i) => matchesOne(part, segments[i] ?? ''))

/** A parameter may have an ending: `:id.png`. */
function matchesOne(part: string, segment: string): boolean {
  if (!part.startsWith(':')) return part === segment
  const [, ending = ''] = /(\..*)?$/.exec(part) ?? []
  return segment.length > ending.length && segment.endsWith(ending)
}
