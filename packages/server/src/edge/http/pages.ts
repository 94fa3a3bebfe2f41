import type { FastifyInstance } from 'fastify'

import { bearer } from './callers.ts'

/** What is not JSON: the docs, the dashboard's place, provider callbacks, metrics. */
export type PageRequest = {
  params: Record<string, string>
  query: Record<string, string>
  address: string
  bearer: string | undefined
}
export type PageAnswer = { status?: number; type?: string; headers?: Record<string, string>; body: string }
export type Page = (path: string, answer: (request: PageRequest) => Promise<PageAnswer>) => void

export function pagesOn(app: FastifyInstance): Page {
  return (path, answer) => {
    app.get(path, async (request, reply) => {
      const {
        status = 200,
        type = 'text/html; charset=utf-8',
        headers = {},
        body,
      } = await answer({
        params: request.params as Record<string, string>,
        query: textOnly(request.query as Record<string, unknown>),
        address: request.ip,
        bearer: bearer(request),
      })
      return reply
        .code(status)
        .headers({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', ...headers })
        .type(type)
        .send(body)
    })
  }
}

/** `?a=1&a=2` arrives as a list; no page takes one. */
const textOnly = (query: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
