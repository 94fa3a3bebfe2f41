import type { FastifyReply, FastifyRequest } from 'fastify'

const PREFLIGHT = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Svc-Key, Idempotency-Key',
  'Access-Control-Max-Age': '86400',
}

/** Clients of the Model Context Protocol that run in a page send these, too. */
const MCP_HEADERS = 'MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID'
const MCP_PREFLIGHT = {
  ...PREFLIGHT,
  'Access-Control-Allow-Headers': `${PREFLIGHT['Access-Control-Allow-Headers']}, ${MCP_HEADERS}`,
}

const ANSWER = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id, ETag',
}

/** Any origin may call and read every response, also errors; key and token decide who is allowed (GEN-25, 26, 28). */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply) {
  if (request.headers.origin !== undefined) reply.headers(ANSWER)
}

export const answerPreflight = ({ url }: FastifyRequest, reply: FastifyReply) =>
  void reply
    .code(204)
    .headers(url === '/mcp' ? MCP_PREFLIGHT : PREFLIGHT)
    .send()
