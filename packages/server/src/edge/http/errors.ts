import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'

import { ApiError } from '../../platform/api-error.ts'

/** Every error leaves in the specification's shape, whatever threw it (GEN-22). */
export const answerErrors =
  (log: Pick<FastifyBaseLogger, 'error'>) =>
  (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const answer = asApiError(error, request.id)
    if (answer.status >= 500)
      log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, answer.code)
    return sendError(reply, answer)
  }

export function sendError(reply: FastifyReply, error: ApiError) {
  const retryAfterSeconds = error.details?.['retryAfterSeconds'] ?? (error.status === 503 ? 1 : undefined)
  if (typeof retryAfterSeconds === 'number') reply.header('Retry-After', retryAfterSeconds)
  // Fastify's own refusals come before the hook that sets them, and no refusal is kept.
  reply.request.refusal = error.code
  reply.header('X-Request-Id', reply.request.id).header('Cache-Control', 'no-store')
  return reply.code(error.status).type('application/json; charset=utf-8').send(JSON.stringify(error.body))
}

/** Fastify's own refusals, before a handler is reached. */
const FASTIFY_ERRORS: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('payload_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    badRequest('the body is shorter or longer than Content-Length says'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new ApiError('invalid_json', { reason: 'the body is empty' }),
  FST_ERR_BAD_URL: () => badRequest('the address is not valid percent-encoded UTF-8'),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () => badRequest('a request of this method must name its Content-Type'),
  ECONNRESET: () => badRequest('the body did not arrive whole'),
}

export function asApiError(error: FastifyError | Error, requestId: string): ApiError {
  if (error instanceof ApiError) return error
  const known = 'code' in error ? FASTIFY_ERRORS[error.code] : undefined
  return known?.() ?? new ApiError('internal_error', { requestId })
}

export const badRequest = (message: string) =>
  new ApiError('invalid_request', { errors: [{ path: '$', message }] })
