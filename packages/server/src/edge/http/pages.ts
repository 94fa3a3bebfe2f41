import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { PageResponse } from '../../platform/responses.ts'
import { bearer } from './callers/callers.ts'
import { fromMemory } from './files/memory.ts'

export type { PageResponse } from '../../platform/responses.ts'

/** What is not JSON: the docs, the dashboard's place, provider callbacks, metrics. */
export type PageRequest = {
  params: Record<string, string>
  query: Record<string, string>
  address: string
  bearer: string | undefined
  acceptLanguage: string
  /** A browser shows the response to a person. */
  acceptsHtml: boolean
}
export type Page = (path: string, answer: (request: PageRequest) => Promise<PageResponse>) => void
/** What a plain HTML form sends, which needs no script in the page. */
export type Form = (
  path: string,
  answer: (request: PageRequest & { form: Record<string, string> }) => Promise<PageResponse>,
) => void

const FORM_BYTES_MAX = 64 * 1024

export function createPageBinder(app: FastifyInstance): Page {
  return (path, answer) => {
    app.get(path, async (request, reply) => send(request, reply, await answer(pageRequest(request))))
  }
}

export function createFormBinder(app: FastifyInstance): Form {
  return (path, answer) => {
    // In a scope of its own: no JSON endpoint takes a form, which any page on the web can send.
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
        (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
      )
      // Mail programs may unsubscribe with it (RFC 8058); nothing in it is read.
      scope.addContentTypeParser(
        'multipart/form-data',
        { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
        (_request, _body, done) => done(null, {}),
      )
      scope.post(path, async (request, reply) => {
        const form = (request.body ?? {}) as Record<string, string>
        return send(request, reply, await answer({ ...pageRequest(request), form }))
      })
    })
  }
}

const pageRequest = (request: FastifyRequest): PageRequest => ({
  params: request.params as Record<string, string>,
  query: textOnly(request.query as Record<string, unknown>),
  address: request.ip,
  bearer: bearer(request),
  acceptLanguage: request.headers['accept-language'] ?? '',
  acceptsHtml: /\btext\/html\b/.test(request.headers.accept ?? ''),
})

async function send(request: FastifyRequest, reply: FastifyReply, page: PageResponse) {
  const { status, headers, body } = await fromMemory(page, {
    method: request.method,
    acceptEncoding: request.headers['accept-encoding'] as string | undefined,
    ifNoneMatch: request.headers['if-none-match'],
  })
  reply.code(status).header('Referrer-Policy', 'no-referrer')
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1])
  return reply.send(body)
}

/** `?a=1&a=2` arrives as a list; no page takes one. */
const textOnly = (query: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
