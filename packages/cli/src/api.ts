import { setTimeout as pause } from 'node:timers/promises'

import type { ErrorCode } from '@svc/contract/errors'

import { Failure } from './failure.ts'
import { unreachable } from './unreachable.ts'

export type Parts = {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  bytes?: Blob
}

/** One request to the service: its answer, or a Failure that says what to do. */
export type Send = (
  method: string,
  path: string,
  parts: Parts,
  headers?: Record<string, string>,
) => Promise<unknown>

const TIMEOUT_MS = 30_000
/** 50 MB over a slow line. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000
/** Together about 8 s: a service that is restarted is back by then. */
const TRIES_MAX = 6
const RETRY_AFTER_MS = 250
const RETRY_AFTER_MAX_MS = 60_000

export function createApi(url: string): Send {
  // Whoever has never answered is not waited for: most likely it was not started, or the address is wrong.
  let hasAnswered = false

  async function once(method: string, path: string, { body, bytes }: Parts, headers: Record<string, string>) {
    const payload = bytes ?? (body === undefined ? undefined : JSON.stringify(body))
    const type = bytes ? 'application/octet-stream' : 'application/json'
    const signal = AbortSignal.timeout(bytes ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS)
    const answer = await fetch(url + path, {
      method,
      headers: { ...(payload !== undefined && { 'Content-Type': type }), ...headers },
      ...(payload !== undefined && { body: payload }),
      // A secret key would be taken along, to whomever it leads.
      redirect: 'manual',
      signal,
    }).catch((error: unknown) => {
      throw isUnreadable(error) ? changedFile() : unreachable(url, error)
    })
    hasAnswered = true
    const location = answer.headers.get('location')
    if (answer.status >= 300 && answer.status < 400 && location !== null) throw redirected(url, location)
    const text = await answer.text().catch((error: unknown) => {
      throw unreachable(url, error)
    })
    const answered = parsed(text)
    if (!answer.ok) throw refusal(url, answer.status, answered, Number(answer.headers.get('retry-after')))
    if (answered === undefined) throw notOurs(url)
    return answered
  }

  return async (method, path, parts, headers = {}) => {
    const address = filled(path, parts.params) + search(parts.query)
    const mayRepeat = /^(?:GET|PUT)$/.test(method) || SAME_TWICE.test(path) || 'Idempotency-Key' in headers
    for (let tries = 1; ; tries++) {
      try {
        return await once(method, address, parts, headers)
      } catch (error) {
        const waitMs =
          hasAnswered && mayRepeat && tries < TRIES_MAX ? waitBeforeRetry(error, tries) : undefined
        if (waitMs === undefined) throw error
        await pause(waitMs)
      }
    }
  }
}

/** A version that is finished or live already stays so, and one that was begun twice is one that is never finished. */
const SAME_TWICE = /\/deployments(?:\/:ref\/(?:finalize|activate))?$/

/** What has passed by then; undefined for what stays as it is. */
function waitBeforeRetry(error: unknown, tries: number): number | undefined {
  if (!(error instanceof Failure)) return undefined
  if (error.code === 'rate_limited') {
    const seconds = Number(error.details?.['retryAfterSeconds'] ?? 1)
    return seconds * 1_000 <= RETRY_AFTER_MAX_MS ? seconds * 1_000 : undefined
  }
  const mayPass = error.exit === 'unreachable' && error.code !== 'redirected'
  return mayPass ? RETRY_AFTER_MS * 2 ** (tries - 1) : undefined
}

/** As Node says that a file is not what it was when it was opened. */
const isUnreadable = (error: unknown) =>
  [error, (error as Error).cause].some((one) => one instanceof Error && one.name === 'NotReadableError')

export const changedFile = (path = 'A file') =>
  new Failure('failed', `${path} was changed while it was uploaded. Nothing went live.`, {
    code: 'file_changed',
    fix: 'Run it again when the build has ended.',
  })

function redirected(url: string, location: string): Failure {
  const to = URL.canParse(location, url) ? new URL(location, url).origin : location
  return new Failure('unreachable', `${url} leads to ${to}.`, {
    code: 'redirected',
    fix: 'If that is the service, say so: --url or SVC_URL.',
  })
}

const notOurs = (url: string) =>
  new Failure('unreachable', `${url} answers, but not as a service of svc does.`, {
    fix: 'Does something else listen there? --url or SVC_URL says another address.',
  })

function refusal(url: string, status: number, answered: unknown, retryAfterSeconds: number): Failure {
  const { error } = (answered ?? {}) as { error?: { code?: string; message?: string; details?: Details } }
  if (typeof error?.code !== 'string') return notOurs(url)
  const details = retryAfterSeconds > 0 ? { retryAfterSeconds, ...error.details } : error.details
  const exit = NOT_SIGNED_IN.has(error.code) ? 'signIn' : status >= 500 ? 'unreachable' : 'refused'
  const message = Array.isArray(details?.['errors']) ? REFUSED : (error.message ?? error.code)
  return new Failure(exit, message, {
    code: error.code,
    details,
    fix: FIXES[error.code as ErrorCode]?.(details ?? {}),
  })
}

/** Before it each problem is told by its field. */
const REFUSED = 'The service refused it. Nothing was changed.'

type Details = Record<string, unknown>

const NOT_SIGNED_IN = new Set<string>([
  'unauthorized',
  'developer_session_required',
  'invalid_credentials',
  'invalid_key',
  'secret_key_required',
] satisfies ErrorCode[])

const FIXES: Partial<Record<ErrorCode, (details: Details) => string>> = {
  unauthorized: () => 'Run: svc login',
  invalid_credentials: () => 'Try again, or make an account: svc login --sign-up',
  email_taken: () => 'Leave --sign-up out.',
  invalid_key: () =>
    'The key may have been revoked: create a new one with svc keys create. If the data folder of the service is new, run: svc link',
  feature_disabled: ({ configPath }) =>
    `Set ${typeof configPath === 'string' ? configPath : 'its switch'} to true in svc.config.json, then run: svc config push`,
  project_not_found: () =>
    'Check that the project belongs to this account and service: svc whoami. If the data folder of the service is new, run: svc link',
  player_not_found: () => 'svc players find lists them; is it the right environment (--env)?',
  appeal_not_found: () => 'svc appeals list shows what there is.',
  key_not_found: () => 'svc keys list shows what there is.',
  too_many_keys: () => 'Revoke one: svc keys revoke <id>',
  deployment_not_found: () => 'svc deploys lists the versions there are.',
  provider_disabled: () => 'Providers are google, discord, apple and x.',
  name_reserved: () => 'Choose another one with --name.',
}

function filled(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name])
    // A URL with such a segment is another URL before it is even sent.
    if (value === '' || value === '.' || value === '..')
      throw new Failure('usage', `'${value}' cannot be a ${name}.`)
    return encodeURIComponent(value)
  })
}

function search(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
