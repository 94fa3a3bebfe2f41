import type { FastifyReply, FastifyRequest } from 'fastify'

import { isKnown } from '../../platform/conditions.ts'

/** One address serves every environment, so a cache must tell the keys apart, and ask each time. */
const HEADERS = { 'Cache-Control': 'no-cache', Vary: 'Origin, X-Svc-Key' }

/** Whether the caller has these bytes already: then 304 says it all (RFC 9110, 13.1.2). */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.headers({ ...HEADERS, ETag: etag })
  return isKnown(request.headers['if-none-match'], etag)
}
