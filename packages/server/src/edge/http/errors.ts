import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'

import { ApiError } from '../../platform/api-error.ts'

/** What code of developers causes, or its limits: nothing is wrong with the service. */
const CAUSED_BY_CODE = /^(?:functions?_|cpu_limit_|memory_limit_)/

/** Every error is sent in the specification's shape, whatever threw it (GEN-22). */
export const answerErrors =
  (log: Pick<FastifyBaseLogger, 'error' | 'warn'>) =>
  (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const answer = asApiError(error, request.id)
    const where = { requestId: request.id, traceId: request.traceId, route: request.routeOptions.url }
    if (CAUSED_BY_CODE.test(answer.code)) {
      if (answer.status >= 500) log.warn({ ...where, ...reasonOf(answer) }, answer.code)
    } else if (answer.status >= 500) log.error({ err: error, ...where }, answer.code)
    return sendError(reply, answer)
  }

const reasonOf = ({ cause }: ApiError) => (cause instanceof Error ? { reason: cause.message } : {})

export function sendError(reply: FastifyReply, error: ApiError) {
  const retryAfterSeconds = error.details?.['retryAfterSeconds'] ?? (error.status === 503 ? 1 : undefined)
  if (typeof retryAfterSeconds === 'number') reply.header('Retry-After', retryAfterSeconds)
  reply.request.refusal = error.code
  // Hooks that run before the API's set no header: hosted apps and functions have no page about errors.
  if (reply.hasHeader('X-Request-Id')) {
    const site = reply.request.appHost?.baseUrl ?? ''
    reply.header('Link', `<${site}/docs/errors#${error.code}>; rel="help"`)
  }
  // Errors of Fastify itself come before the hook that sets these headers, and errors must not be cached.
  reply.header('X-Request-Id', reply.request.id).header('Cache-Control', 'no-store')
  return reply.code(error.status).type('application/json; charset=utf-8').send(JSON.stringify(error.body))
}

/** Errors of Fastify itself, thrown before a handler runs. */
const FASTIFY_ERRORS: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    badRequest('the body is shorter or longer than its Content-Length'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new ApiError('invalid_json', { reason: 'the body is empty' }),
  FST_ERR_BAD_URL: () => badRequest('the URL is not valid percent-encoded UTF-8'),
  ECONNRESET: () => badRequest('the body is incomplete'),
}

export function asApiError(error: FastifyError | Error, requestId: string): ApiError {
  if (error instanceof ApiError) return error
  const known = 'code' in error ? FASTIFY_ERRORS[error.code] : undefined
  return known?.() ?? new ApiError('internal_error', { requestId })
}

export const badRequest = (message: string) =>
  new ApiError('invalid_request', { errors: [{ path: '$', message }] })
