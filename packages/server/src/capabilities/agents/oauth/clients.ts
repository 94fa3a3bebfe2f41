import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, MINUTE_MS, timestamp } from '../../../platform/clock.ts'
import { createCache } from '../../../platform/memory/cache.ts'
import { isThisMachine, type Outbound } from '../../../platform/network/outbound.ts'
import { plainUrl } from '../../../platform/network/redirect-rules.ts'
import type { Ids } from '../../../platform/random.ts'
import { cleanLine, hasVisible } from '../../../platform/text/text.ts'
import { mayBeRedirectUri } from './redirect-uris.ts'
import type { GrantStore } from './store.ts'

/** A client that may ask developers to let it in. `host`: where it is described; null if an operator added it. */
export type Client = { id: string; name: string; host: string | null; redirectUris: readonly string[] }

type ClientDeps = {
  outbound: Pick<Outbound, 'get'>
  clock: Clock
  ids: Ids
  /** A service for one computer: documents may be on it, too, also without TLS. */
  isLocal: boolean
}

export type Clients = ReturnType<typeof createClients>

const CACHED_MS = 5 * MINUTE_MS

/**
 * The clients of agents. One has a URL as its id, where a document describes it (OAuth Client ID Metadata Document), or an operator
 * has added it. What a document says is the client's own claim: its text is cut, and nothing that it links to is loaded.
 */
export function createClients(store: GrantStore, { outbound, clock, ids, isLocal }: ClientDeps) {
  const documents = createCache<Client>({ read: readDocument, ttlMs: CACHED_MS, entriesMax: 200 })

  async function readDocument(id: string): Promise<Client> {
    const { status, text, error } = await outbound.get({
      url: id,
      headers: { Accept: 'application/json', 'User-Agent': 'svc' },
      timeoutMs: LIMITS.agentClientTimeoutMs,
      answerBytesMax: LIMITS.agentClientBytesMax,
      allowLoopback: isLocal,
    })
    if (error !== null || status !== 200)
      throw unusable(
        `the document of the client cannot be read: ${error === null ? `it answers ${status}` : reachable(error)}`,
      )
    return clientOf(id, text)
  }

  return {
    /** Throws `authorization_invalid`. */
    async find(id: string): Promise<Client> {
      if (isDocumentUrl(id, isLocal)) return documents.get(id)
      const row = await store.findClient(id.slice(0, 64))
      if (!row)
        throw unusable(
          'client_id must be an https URL of a document, or that of a client which an operator added',
        )
      return {
        id: row.id,
        name: row.name,
        host: null,
        redirectUris: JSON.parse(row.redirectUris) as string[],
      }
    },

    /** Whether it can still get tokens: an operator may have removed it. */
    isKnown: async (id: string): Promise<boolean> =>
      isDocumentUrl(id, isLocal) || (await store.findClient(id)) !== undefined,

    /** Returns the id, or the problem as a sentence. */
    async add(name: string, redirectUris: readonly string[]): Promise<{ id: string } | { problem: string }> {
      const shown = shownName(name)
      if (shown === undefined) return { problem: 'The name must contain a visible character.' }
      if (redirectUris.length === 0 || redirectUris.length > LIMITS.agentClientRedirectsMax)
        return { problem: `A client has 1 to ${LIMITS.agentClientRedirectsMax} redirect URIs.` }
      const wrong = redirectUris.find((uri) => !mayBeRedirectUri(uri, 'operator'))
      if (wrong !== undefined)
        return {
          problem: `"${wrong}" is not an https URL, an http URL on loopback or a URL of a native app.`,
        }
      const id = ids('agc')
      await store.insertClient({
        id,
        name: shown,
        redirectUris: JSON.stringify(redirectUris),
        createdAt: timestamp(clock),
      })
      return { id }
    },

    list: async () =>
      (await store.listClients()).map(({ redirectUris, ...client }) => ({
        ...client,
        redirectUris: JSON.parse(redirectUris) as string[],
      })),

    remove: store.removeClient,
  }
}

/** An https URL with a path, written as a browser writes it; without a query, so that one client has one id. */
function isDocumentUrl(text: string, isLocal: boolean): boolean {
  const url = text.length <= 500 ? plainUrl(text) : undefined
  if (!url || url.pathname === '/' || url.search !== '') return false
  return url.protocol === 'https:' || (isLocal && url.protocol === 'http:' && isThisMachine(url))
}

/** The client that a document describes. */
function clientOf(id: string, text: string): Client {
  const document = parsed(text)
  if (!document) throw unusable('the document of the client is not a JSON object')
  if (document['client_id'] !== id) throw unusable('the document of the client has another client_id')
  const method = document['token_endpoint_auth_method']
  if (method !== undefined && method !== 'none')
    throw unusable(
      'the document of the client asks for a secret; only token_endpoint_auth_method "none" is accepted',
    )
  const uris = document['redirect_uris']
  const isList = Array.isArray(uris) && uris.length > 0 && uris.length <= LIMITS.agentClientRedirectsMax
  if (!isList || !uris.every((uri) => typeof uri === 'string'))
    throw unusable(
      `the document of the client has no list of 1 to ${LIMITS.agentClientRedirectsMax} redirect_uris`,
    )
  const { host } = new URL(id)
  const redirectUris = uris.filter((uri) => mayBeRedirectUri(uri, 'document'))
  return { id, name: shownName(document['client_name']) ?? host, host, redirectUris }
}

/** What a TLS library says is for its own developers. */
const reachable = (error: string): string =>
  /ssl|tls|certificate|:error:/i.test(error) ? 'no secure connection is possible' : error.slice(0, 200)

const unusable = (reason: string) => new ApiError('authorization_invalid', { reason })

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Undefined if nothing of it can be seen. */
function shownName(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  // By characters, so that none is cut in two.
  const shown = Array.from(cleanLine(name.slice(0, 1_000)).trim())
    .slice(0, LIMITS.agentClientNameLengthMax)
    .join('')
  return hasVisible(shown) ? shown : undefined
}
