import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { compressedFile, createFileMemory } from '../../platform/compressed-file.ts'
import { isKnown } from '../../platform/conditions.ts'
import { bearer } from './callers.ts'

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
export type PageAnswer = { status?: number; type?: string; headers?: Record<string, string>; body: string }
export type Page = (path: string, answer: (request: PageRequest) => Promise<PageAnswer>) => void
/** What a plain HTML form sends, which needs no script in the page. */
export type Form = (
  path: string,
  answer: (request: PageRequest & { form: Record<string, string> }) => Promise<PageAnswer>,
) => void

const FORM_BYTES_MAX = 64 * 1024

export function pagesOn(app: FastifyInstance): Page {
  return (path, answer) => {
    app.get(path, async (request, reply) => send(request, reply, await answer(pageRequest(request))))
  }
}

export function formsOn(app: FastifyInstance): Form {
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

/** More than there are pages of documentation. */
const remembered = createFileMemory(200)

/** Compressed, and to whoever has it already only 304 (RFC 9110, 13.1.2). What must not be stored is not remembered here, either. */
async function send(request: FastifyRequest, reply: FastifyReply, answer: PageAnswer) {
  const { status = 200, type = 'text/html; charset=utf-8', headers = {}, body } = answer
  reply
    .code(status)
    .headers({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', ...headers })
  if (body === '') return reply.send()

  const isStored = headers['Cache-Control'] !== undefined && headers['Cache-Control'] !== 'no-store'
  const file = isStored ? remembered(body) : compressedFile(body)
  const chosen = await file(request.headers['accept-encoding'] as string | undefined)
  reply.header('Vary', 'Accept-Encoding')
  if (status === 200 && request.method !== 'POST') {
    reply.header('ETag', chosen.etag)
    if (isKnown(request.headers['if-none-match'], chosen.etag)) return reply.code(304).send()
  }
  if (chosen.encoding) reply.header('Content-Encoding', chosen.encoding)
  return reply.type(type).send(chosen.body)
}

/** `?a=1&a=2` arrives as a list; no page takes one. */
const textOnly = (query: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
