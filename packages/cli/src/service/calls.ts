import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { DeveloperCalls, RequestOptions, SecretKeyCalls } from '@svc/sdk/developer'

import { Failure } from '../output/failure.ts'
import { keyName } from '../project/keys-file.ts'
import type { Session } from '../sign-in/session.ts'
import type { CallAsDeveloper, CallWithKey, Service } from './service.ts'

export type ProjectEnvironment = { projectId: string; env: EnvironmentName }

type CallsOptions = {
  service: Service
  session: Pick<Session, 'asDeveloper' | 'requireSignedIn' | 'current'>
  /** SVC_KEY: the secret key of one environment, used instead of a developer session. */
  secretKey: string | undefined
  /** The secret key of an environment in `.env` or `.env.local` of the folder. */
  envFileKey(env: EnvironmentName): string | undefined
  resolveEnvironment(): Promise<ProjectEnvironment>
}

/** Endpoints that accept a secret key as well as a developer session. */
type AdminName = keyof DeveloperCalls & keyof SecretKeyCalls

/** `at` replaces the project and environment of the command, `env` its environment. */
type AdminOptions = RequestOptions & { env?: EnvironmentName; at?: ProjectEnvironment }

export type Calls = ReturnType<typeof createCalls>

/** Endpoints of the contract, by who may call them. */
export function createCalls({ service, session, secretKey, envFileKey, resolveEnvironment }: CallsOptions) {
  const withKey = secretKey === undefined ? undefined : service.withKey(secretKey)

  const developer: CallAsDeveloper = async (name, request, options) => {
    if (withKey) {
      throw new Failure(
        'signIn',
        'This command requires a signed-in developer; a secret key is not enough.',
        {
          fix: 'Unset SVC_KEY and run: svc login',
        },
      )
    }
    await session.requireSignedIn()
    return session.asDeveloper(name, request, options)
  }

  return {
    /** Endpoints that need no sign-in. */
    anyone: session.asDeveloper,

    developer,
    /** The secret key of SVC_KEY, or that of `.env` if nobody is signed in. */
    keyInPlaceOfSession: (env: EnvironmentName): CallWithKey | undefined => {
      const key = secretKey ?? (session.current()?.token === undefined ? envFileKey(env) : undefined)
      return key === undefined ? undefined : service.withKey(key)
    },

    /** Calls with the secret key if one is set, otherwise as the developer. */
    admin: async <Name extends AdminName>(
      name: Name,
      request: SecretKeyCalls[Name]['request'],
      { env, at, ...options }: AdminOptions = {},
    ): Promise<SecretKeyCalls[Name]['response']> => {
      if (withKey) return withKey(name, request, options)
      const target = at ?? (await resolveEnvironment())
      const params = { ...(request as { params?: object }).params, ...target, ...(env && { env }) }
      const inEnvironment = { ...request, params } as unknown as DeveloperCalls[Name]['request']
      return developer(name, inEnvironment, options) as Promise<SecretKeyCalls[Name]['response']>
    },

    /** Endpoints that require a secret key. */
    server: (env: EnvironmentName): CallWithKey => {
      const key = secretKey ?? envFileKey(env)
      if (key !== undefined) return service.withKey(key)
      throw new Failure('signIn', `This command requires a ${env} secret key.`, {
        fix: `Set SVC_KEY, or store the key in .env as ${keyName(env, 'secret')}. Create one with: svc keys create`,
      })
    },
  }
}
