import type { IncomingMessage } from 'node:http'

import type { FastifyRequest } from 'fastify'

import { ApiError } from '../../../platform/api-error.ts'
import { isAgentToken } from '../callers/agents.ts'
import { bearer } from '../callers/callers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for a call of the API on the host of an app. */
    appHost: AppHost | undefined
  }
  interface FastifyContextConfig {
    /** Hosts of apps have this route, too. */
    isForPlayers?: boolean
  }
}

/** `label`: the part of the host name before the apps domain. `baseUrl`: the URL of the service, which has the documentation. */
type AppHost = { label: string; baseUrl: string }

/** The host of an app has the API below it, so that its pages call their own origin: without preflights, with one host (decision 0110). */
const FOLDER = '/.svc'
const API = `${FOLDER}/v1/`

export const isApiUrl = (url: string): boolean => url.startsWith(API)
/** The URL at the API. */
export const apiUrlOf = (url: string): string => url.slice(FOLDER.length)
/** Fastify's getter would change the shape of the request, which costs more than reading it. */
export const wasRewritten = ({ url, originalUrl }: IncomingMessage & { originalUrl?: string }): boolean =>
  originalUrl !== undefined && url !== originalUrl

/**
 * A page acts as its own origin here, so what it could do for a developer must not be here: no other route, and no other credential
 * (HST-10).
 */
export function refusalOnAppHost(request: FastifyRequest): ApiError | undefined {
  if (request.is404) return undefined
  if (request.routeOptions.config.isForPlayers !== true) return new ApiError('not_found')
  if (String(request.headers['x-svc-key']).startsWith('sk_')) return new ApiError('publishable_key_required')
  const token = bearer(request) ?? ''
  return token.startsWith('kds_') || isAgentToken(token) ? new ApiError('invalid_token') : undefined
}
