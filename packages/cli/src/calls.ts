import {
  addressesOf,
  type Caller,
  type Endpoint,
  type RequestOf,
  type ResponseOf,
} from '@svc/contract/endpoint'
import type { EnvironmentName } from '@svc/contract/shapes'

import type { Parts, Send } from './api.ts'
import { Failure, isFailure } from './failure.ts'
import { keyName } from './keys-file.ts'
import type { Session } from './session.ts'

export type Place = { projectId: string; env: EnvironmentName }

export type CallNeeds = {
  send: Send
  session: Pick<Session, 'token' | 'renew'>
  /** SVC_KEY: it opens one environment, without a developer. */
  secretKey: string | undefined
  /** The secret key of an environment in `.env` or `.env.local` of the folder. */
  keptKey(env: EnvironmentName): string | undefined
  place(): Promise<Place>
}

type By<C extends Caller> = Endpoint & { caller: C }
type Request<E extends Endpoint> = RequestOf<E> & { bytes?: Blob }
/** `at` instead of the project and environment of the command. */
export type CallOptions = { idempotencyKey?: string; env?: EnvironmentName; at?: Place }

export type Calls = ReturnType<typeof createCalls>

/** Endpoints of the contract by who may call them. Types only: a wrong method, path or field does not compile. */
export function createCalls({ send, session, secretKey, keptKey, place }: CallNeeds) {
  async function asDeveloper(
    route: string,
    parts: Parts,
    { idempotencyKey }: CallOptions = {},
  ): Promise<unknown> {
    const { method, path } = split(route)
    const attempt = () =>
      send(method, path, parts, {
        Authorization: `Bearer ${session.token()}`,
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      })
    return attempt().catch(async (error: unknown) => {
      if (!isFailure(error, 'unauthorized') || !(await session.renew())) throw error
      return attempt()
    })
  }

  const withKey = (key: string, route: string, parts: Parts) => {
    const { method, path } = split(route)
    return send(method, path, parts, { 'X-Svc-Key': key })
  }

  return {
    anyone: <E extends By<'none'>>(route: E['route'], parts: Request<E>) => {
      const { method, path } = split(route)
      return send(method, path, parts) as Promise<ResponseOf<E>>
    },

    developer: async <E extends By<'developer'>>(
      route: E['route'],
      parts: Request<E>,
      options?: CallOptions,
    ) => {
      if (secretKey !== undefined) {
        throw new Failure(
          'signIn',
          'This command requires a signed-in developer; a secret key is not enough.',
          {
            fix: 'Unset SVC_KEY and run: svc login',
          },
        )
      }
      return (await asDeveloper(route, parts, options)) as ResponseOf<E>
    },

    /** With the secret key where one is set, else as the developer at the endpoint's second address. */
    admin: async <E extends By<'admin'>>(
      route: E['route'],
      parts: Request<E>,
      { env, at }: CallOptions = {},
    ) => {
      if (secretKey !== undefined) return (await withKey(secretKey, route, parts)) as ResponseOf<E>
      const [, second] = addressesOf({ route, caller: 'admin' })
      const here = at ?? (await place())
      const params = { ...(parts as Parts).params, ...here, ...(env && { env }) }
      return (await asDeveloper(`${second?.method} ${second?.path}`, { ...parts, params })) as ResponseOf<E>
    },

    /** What only a secret key may do. */
    server: async <E extends By<'server' | 'admin'>>(
      route: E['route'],
      parts: Request<E>,
      env: EnvironmentName,
    ) => {
      const key = secretKey ?? keptKey(env)
      if (key !== undefined) return (await withKey(key, route, parts)) as ResponseOf<E>
      throw new Failure('signIn', `This command requires a ${env} secret key.`, {
        fix: `Set SVC_KEY, or store the key in .env as ${keyName(env, 'secret')}. Create one with: svc keys create`,
      })
    },
  }
}

function split(route: string): { method: string; path: string } {
  const [method = '', path = ''] = route.split(' ')
  return { method, path }
}
