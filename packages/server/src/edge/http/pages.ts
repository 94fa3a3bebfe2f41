import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { ApiError } from '../../platform/api-error.ts'
import type { Content, PageResponse } from '../../platform/http/responses.ts'
import { bearer } from './callers/callers.ts'
import { isFromThisMachine } from './callers/client-address.ts'
import type { OwnMachine } from './callers/own-machine.ts'
import { fromMemory } from './files/memory.ts'
import type { RawResponse } from './files/raw-response.ts'
import type { Respond } from './files/responses.ts'
import { withHead } from './routes.ts'

export type { Content, PageResponse } from '../../platform/http/responses.ts'

/** A request for a response that is not JSON: the docs, the dashboard, provider callbacks, metrics. */
export type PageRequest = {
  params: Record<string, string>
  query: Record<string, string>
  address: string
  /** No proxy has passed it on. */
  isFromThisMachine: boolean
  bearer: string | undefined
  acceptLanguage: string
  /** Whether the client accepts HTML, as a browser does. */
  acceptsHtml: boolean
}
export type Page = (
  path: string,
  answer: (request: PageRequest) => Promise<Content>,
  options?: PageOptions,
) => void
/**
 * `ownPages`: on a developer's machine pages of other origins may not read it. `isForPlayers`: hosts of apps have it too, as they have
 * endpoints for players.
 */
type PageOptions = { ownPages?: true; isForPlayers?: boolean }
/** Binds a path to a handler of HTML forms, which need no script in the page. */
export type Form = (
  path: string,
  answer: (request: PageRequest & { form: Record<string, string> }) => Promise<PageResponse>,
  options?: FormOptions,
) => void
/** `anyOrigin`: what is sent proves itself, so a service on a developer's machine also accepts it from pages of other origins. */
type FormOptions = { anyOrigin?: true }

const FORM_BYTES_MAX = 64 * 1024

/**
 * `respond` reads files of the blob store, which some pages return; `missing` is the error for one that is not there. `ownMachine` is
 * undefined if other machines may reach the service.
 */
export function createPageBinder(
  app: FastifyInstance,
  respond: Respond,
  missing: (what: string) => Error,
  ownMachine?: Pick<OwnMachine, 'requireOwnPage'>,
): Page {
  return (path, answer, { ownPages, isForPlayers = false } = {}) => {
    app.route({
      method: withHead('GET'),
      url: path,
      config: { isForPlayers },
      handler: async (request, reply) => {
        if (ownPages) ownMachine?.requireOwnPage(request)
        const response = await respond(await answer(pageRequest(request)), preferencesOf(request))
        if (!response) throw missing(`the file of ${request.url}`)
        return send(reply, response)
      },
    })
  }
}

const NO_FORM = { message: 'Send the body as application/x-www-form-urlencoded.' }

/** Binds pages that accept a form. `ownMachine` is undefined if other machines may reach the service. */
export function createFormBinder(app: FastifyInstance, ownMachine: OwnMachine | undefined): Form {
  return (path, answer, { anyOrigin }: FormOptions = {}) => {
    // In a separate scope, so that no JSON endpoint accepts a form: any page on the web can send one.
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
        (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
      )
      // Mail programs may use this type to unsubscribe (RFC 8058); the content is ignored.
      scope.addContentTypeParser(
        'multipart/form-data',
        { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
        (_request, _body, done) => done(null, {}),
      )
      scope.addContentTypeParser('*', async () => {
        throw new ApiError('unsupported_media_type', undefined, NO_FORM)
      })
      scope.post(path, async (request, reply) => {
        if (!anyOrigin) ownMachine?.requireOwnPage(request)
        const form = (request.body ?? {}) as Record<string, string>
        const page: PageResponse = await answer({ ...pageRequest(request), form })
        return send(reply, await fromMemory(page, preferencesOf(request)))
      })
    })
  }
}

const pageRequest = (request: FastifyRequest): PageRequest => ({
  params: request.params as Record<string, string>,
  query: textOnly(request.query as Record<string, unknown>),
  address: request.clientAddress,
  isFromThisMachine: isFromThisMachine(request.raw),
  bearer: bearer(request),
  acceptLanguage: request.headers['accept-language'] ?? '',
  acceptsHtml: /\btext\/html\b/.test(request.headers.accept ?? ''),
})

/** Pages have no ranges. */
const preferencesOf = ({ method, headers }: FastifyRequest) => ({
  method,
  acceptEncoding: headers['accept-encoding'] as string | undefined,
  ifNoneMatch: headers['if-none-match'],
  range: undefined,
  ifRange: undefined,
})

function send(reply: FastifyReply, { status, headers, body }: RawResponse) {
  reply.code(status).header('Referrer-Policy', 'no-referrer')
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1])
  return reply.send(body)
}

/** `?a=1&a=2` is parsed as a list, which no page accepts. */
const textOnly = (query: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
