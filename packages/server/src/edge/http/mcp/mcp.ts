import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Agent } from '../../../platform/agent.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { lazy } from '../../../platform/memory/lazy.ts'
import { isObject, requireInterpretable } from '../../json/interpreted.ts'
import { bearer } from '../callers/callers.ts'
import { isLoopback } from '../callers/origins.ts'
import type { McpCall } from './server.ts'

type McpDeps = {
  baseUrl: string
  version: string
  /** From there a client learns how to get a token. */
  resourceMetadataUrl: string
  findAgent(token: string): Promise<Agent | undefined>
  /** Throws `rate_limited`. */
  count(agent: Agent): Promise<void>
  approveByForm(agent: Agent, approvalId: string): Promise<void>
  waitForDecision(agent: Agent, approvalId: string, signal: AbortSignal): Promise<void>
  reportError(error: unknown): void
}

const INVALID_REQUEST = -32600

/**
 * `POST /mcp`: the tools of agents by the Model Context Protocol. A tool is a request to the API with the token of the agent, in this
 * process: the API decides, as for everybody else. The protocol's package is loaded with the first request.
 */
export function mountMcp(http: FastifyInstance, deps: McpDeps) {
  const {
    baseUrl,
    version,
    resourceMetadataUrl,
    findAgent,
    count,
    approveByForm,
    waitForDecision,
    reportError,
  } = deps
  const ownOrigin = new URL(baseUrl).origin
  const server = lazy(async () => (await import('./server.ts')).createMcpServer({ version, reportError }))

  async function agentOf(request: FastifyRequest, reply: FastifyReply) {
    // A page of another site must not use the network of its visitor to get here (DNS rebinding).
    const { origin } = request.headers
    if (origin !== undefined && origin !== ownOrigin && !isLoopback(origin))
      throw new ApiError('origin_not_allowed')
    const token = bearer(request)
    const agent = token === undefined ? undefined : await findAgent(token)
    if (token !== undefined && agent) return { token, agent }
    const problem = token === undefined ? '' : 'error="invalid_token", '
    reply.header('WWW-Authenticate', `Bearer ${problem}resource_metadata="${resourceMetadataUrl}"`)
    throw new ApiError('unauthorized')
  }

  http.post('/mcp', {
    onRequest: async (request, reply) => {
      request.mcp = await agentOf(request, reply)
    },
    handler: async (request, reply) => {
      if (!request.mcp) throw new ApiError('unauthorized')
      const { agent, token } = request.mcp
      const { body } = request
      requireInterpretable(body, request.bodyText, undefined)
      if (!isObject(body) || body['jsonrpc'] !== '2.0')
        return sendProblem(reply, 'Send one JSON-RPC 2.0 message; batches are not accepted.')
      // Tools are counted by the API that they call.
      if (body['method'] !== 'tools/call') await count(agent)
      const call: McpCall = {
        agent,
        api: (apiRequest, approvalId) => callApi(http, request, token, apiRequest, approvalId),
        approveByForm: (approvalId) => approveByForm(agent, approvalId),
        async waitForDecision(approvalId) {
          const closed = new AbortController()
          reply.raw.once('close', () => closed.abort())
          await waitForDecision(agent, approvalId, closed.signal)
        },
      }
      const handle = await server()
      const response = await handle(webRequest(baseUrl, request), body, token, call)
      const type = response.headers.get('content-type')
      reply.code(response.status)
      if (type !== null) reply.type(type)
      return reply.send(await response.text())
    },
  })
}

const sendProblem = (reply: FastifyReply, message: string) =>
  reply
    .code(400)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } }))

/** Without the body, which is passed parsed, and without headers that the protocol does not use. */
function webRequest(baseUrl: string, { headers }: FastifyRequest): Request {
  const passed = Object.entries(headers).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && (PASSED.has(entry[0]) || entry[0].startsWith('mcp-')),
  )
  return new Request(`${baseUrl}/mcp`, { method: 'POST', headers: passed })
}
const PASSED = new Set(['accept', 'content-type'])

/** The same client address and host as those of the outer request. */
async function callApi(
  http: FastifyInstance,
  outer: FastifyRequest,
  token: string,
  { method, url, body }: { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; url: string; body?: unknown },
  approvalId: string | undefined,
): Promise<unknown> {
  const isBytes = body instanceof Buffer
  const { host, 'x-forwarded-for': forwarded } = outer.headers
  const response = await http.inject({
    method,
    url,
    remoteAddress: outer.socket.remoteAddress ?? '',
    headers: {
      authorization: `Bearer ${token}`,
      ...(host !== undefined && { host }),
      ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
      ...(approvalId !== undefined && { 'svc-approval': approvalId }),
      ...(body !== undefined && {
        'content-type': isBytes ? 'application/octet-stream' : 'application/json',
      }),
    },
    ...(body !== undefined && { payload: isBytes ? body : JSON.stringify(body) }),
  })
  const answer: unknown = JSON.parse(response.body)
  if (response.statusCode < 400) return answer
  const { error } = answer as {
    error: { code: ApiError['code']; message: string; details?: Record<string, unknown> }
  }
  throw new ApiError(error.code, error.details, { message: error.message })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The agent of a request to `/mcp`. */
    mcp?: { agent: Agent; token: string }
  }
}
