import type { EnvironmentName } from '@svc/contract/common/schemas'

import { Failure } from '../output/failure.ts'

export const DEFAULT_URL = 'http://localhost:8787'

const ENVIRONMENTS: Record<string, EnvironmentName> = {
  development: 'development',
  dev: 'development',
  production: 'production',
  prod: 'production',
}

/** The environment with this name or short name. */
export function environmentOf(name: string): EnvironmentName {
  const environment = Object.hasOwn(ENVIRONMENTS, name) ? ENVIRONMENTS[name] : undefined
  if (environment) return environment
  throw new Failure('usage', `Unknown environment: ${name}.`, {
    fix: 'Write development (dev) or production (prod).',
  })
}

/** Returns the origin of a service URL. */
export function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.username || url?.password)
    throw new Failure('usage', 'The service URL must not contain a user name or password.', {
      fix: `Write it like ${DEFAULT_URL}; svc login asks for the password.`,
    })
  if (url && /^https?:$/.test(url.protocol)) return url.origin
  throw new Failure('usage', `${text} is not a valid service URL.`, { fix: `Write it like ${DEFAULT_URL}.` })
}

/** Whether the service is on this machine. */
export const isLoopback = (url: string): boolean =>
  /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)

/** The environment of a secret key: `sk_prod_…` is a production key. */
export function environmentOfKey(key: string): EnvironmentName {
  const [, name = ''] = /^sk_(dev|prod)_[A-Za-z0-9]+$/.exec(key) ?? []
  if (name !== '') return environmentOf(name)
  throw new Failure('usage', 'SVC_KEY is not a secret key.', {
    fix: 'Set it to a key that starts with sk_dev_ or sk_prod_ (create one with svc keys create).',
  })
}

/** Treats `localhost`, `127.0.0.1` and `svc.localhost` as the same local service, so one sign-in is enough. */
export function sameService(url: string): string {
  const { protocol, port } = new URL(url)
  return isLoopback(url) ? `${protocol}//localhost${port && `:${port}`}` : url
}
