import type { FastifyReply, FastifyRequest } from 'fastify'

/** One address serves every environment, so a cache must tell the keys apart, and ask each time. */
const HEADERS = { 'Cache-Control': 'no-cache', Vary: 'Origin, X-Svc-Key' }

/** Whether the caller has these bytes already: then 304 says it all (RFC 9110, 13.1.2). */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.headers({ ...HEADERS, ETag: etag })
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known?.some((tag) => tag === etag || tag === '*') ?? false
}
