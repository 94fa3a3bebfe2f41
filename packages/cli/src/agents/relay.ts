import { Failure } from '../output/failure.ts'
import { redirected } from '../service/service-failures.ts'
import { unreachable } from '../service/unreachable.ts'

type Message = { id?: unknown; method?: unknown; params?: Record<string, unknown> }
type RelayOptions = { url: string; token: string; reportProblem(failure: Failure): void }

/** A deployment of many files takes a while. */
const TIMEOUT_MS = 120_000
const ERRORS = { parse: -32_700, invalidRequest: -32_600, internal: -32_603 }
const VERSION = 'io.modelcontextprotocol/protocolVersion'

/**
 * Sends messages of the Model Context Protocol to `/mcp` of the service, with the token of an agent, and returns the answers. The
 * service keeps no state, so every message is a request of its own.
 */
export function createRelay({ url, token, reportProblem }: RelayOptions) {
  /** Of clients of 2025, which say it once. Others say it in every message. */
  let version: string | undefined
  const running = new Map<unknown, AbortController>()

  async function ask(message: Message, signal: AbortSignal): Promise<unknown> {
    const { method, params } = message
    const own = (params?.['_meta'] as Record<string, unknown> | undefined)?.[VERSION] ?? version
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-method': headerText(method),
        ...(typeof params?.['name'] === 'string' && { 'mcp-name': headerText(params['name']) }),
        ...(typeof own === 'string' && { 'mcp-protocol-version': headerText(own) }),
      },
      body: JSON.stringify(message),
    }).catch((error: unknown) => {
      throw unreachable(url, error)
    })
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && location) throw redirected(url, location)
    const body = await response.text().catch((error: unknown) => {
      throw unreachable(url, error)
    })
    return answerOf(response.status, body)
  }

  return {
    /** The answer as one line; undefined if the message gets none. Never rejects. */
    async answer(line: string | undefined): Promise<string | undefined> {
      const message = line === undefined ? undefined : parsed(line)
      if (line === undefined || message === undefined)
        return problem(null, ERRORS.parse, line === undefined ? TOO_LONG : 'The message is not JSON.')
      if (!isMessage(message))
        return problem(null, ERRORS.invalidRequest, 'Send one JSON-RPC 2.0 message in each line.')
      const { id, method, params } = message
      if (method === 'notifications/cancelled') running.get(params?.['requestId'])?.abort()
      // Notifications and answers mean nothing to a service without state.
      if (id === undefined || method === undefined) return undefined

      const stop = new AbortController()
      running.set(id, stop)
      try {
        const answer = await ask(message, stop.signal)
        if (method === 'initialize') version = negotiated(answer) ?? version
        return JSON.stringify(answer)
      } catch (error) {
        if (stop.signal.aborted) return undefined
        const failure = error instanceof Failure ? error : new Failure('failed', String(error))
        reportProblem(failure)
        const { code, message: text, fix } = failure
        return problem(id, ERRORS.internal, fix === undefined ? text : `${text} ${fix}`, { code })
      } finally {
        running.delete(id)
      }
    },
  }
}

const TOO_LONG = 'The message is too long: at most 2 MiB.'

const problem = (id: unknown, code: number, message: string, data?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } })

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0'

const negotiated = (answer: unknown): string | undefined => {
  const { protocolVersion } = (answer as { result?: { protocolVersion?: unknown } }).result ?? {}
  return typeof protocolVersion === 'string' ? protocolVersion : undefined
}

/** What a header may contain; the service compares it with the message. */
const headerText = (value: unknown): string => String(value).replace(/[^\x20-\x7e]/g, '?')

/** The JSON-RPC answer of the service. Throws for a refusal of the service itself, such as of a dead token. */
function answerOf(status: number, body: string): unknown {
  // Clients of 2025 get a stream of events, of which the last one is the answer.
  const [, event = body] = /(?:^|\n)data: ?(.*)\s*$/.exec(body) ?? []
  const answer = parsed(event)
  if (isMessage(answer)) return answer
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown } }
  if (status === 401)
    throw new Failure('signIn', 'This agent’s token is unknown, revoked or expired.', {
      code: 'unauthorized',
      fix: 'Run: svc agent login',
    })
  if (typeof error?.message === 'string')
    throw new Failure('refused', error.message, { code: String(error.code) })
  throw new Failure('unreachable', `The service answered /mcp with status ${status}.`, {
    fix: 'Check that it is an svc service: svc doctor',
  })
}
