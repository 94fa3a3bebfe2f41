import type { FastifyReply, FastifyRequest } from 'fastify'

const PREFLIGHT = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Svc-Key, Idempotency-Key',
  'Access-Control-Max-Age': '86400',
}

const ANSWER = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id, ETag',
}

/** Any origin may call and read every response, also errors; key and token decide who is allowed (GEN-25, 26, 28). */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply) {
  if (request.headers.origin !== undefined) reply.headers(ANSWER)
}

export const answerPreflight = (reply: FastifyReply) => void reply.code(204).headers(PREFLIGHT).send()
