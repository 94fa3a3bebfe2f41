import type { DeveloperSession } from '@svc/contract/developers'

import { isLoopback } from './address.ts'
import type { Credential, Credentials } from './credentials.ts'
import { Failure, isFailure } from './failure.ts'
import type { Service } from './service.ts'

export type SessionOptions = { url: string; service: Service; credentials: Credentials; randomText(): string }
export type Session = ReturnType<typeof createSession>

type Login = { email: string; password: string }
type NewAccount = Login & { invitation?: string }

/** The account that the CLI creates at a service on this machine, so that the first project needs no sign-up. */
export const LOCAL_EMAIL = 'developer@localhost'

/** The developer at one service. */
export function createSession({ url, service, credentials, randomText }: SessionOptions) {
  const asDeveloper = service.asDeveloper({ token: () => credentials.find(url)?.token, renewToken: renew })
  const signInCalls = service.asDeveloper({ token: () => undefined })

  async function keep({ developer, token }: DeveloperSession, password?: string): Promise<Credential> {
    const credential = { email: developer.email, token, ...(password !== undefined && { password }) }
    await credentials.save(url, credential)
    return credential
  }

  /** If the data folder of a local service is new, the account is created again. */
  async function reopenLocal(password: string): Promise<Credential> {
    const body = { email: LOCAL_EMAIL, password }
    const opened = await signInCalls('logIn', { body }).catch((error: unknown) => {
      if (!isFailure(error, 'invalid_credentials')) throw error
      return makeLocal(password)
    })
    return keep(opened, password)
  }

  async function makeLocal(password: string): Promise<DeveloperSession> {
    const body = { email: LOCAL_EMAIL, password }
    return signInCalls('signUp', { body }).catch((error: unknown) => {
      if (!isFailure(error, 'email_taken')) throw error
      throw new Failure(
        'signIn',
        `${url} already has a local developer account, created by another user or machine.`,
        {
          fix: 'Sign in with your own account: svc login --email you@example.com',
        },
      )
    })
  }

  /** Called after a rejected token; returns true if there is a new one. */
  async function renew(): Promise<boolean> {
    const { email, password } = credentials.find(url) ?? {}
    if (email !== LOCAL_EMAIL || password === undefined || !isLoopback(url)) return false
    await reopenLocal(password)
    return true
  }

  return {
    current: (): Credential | undefined => credentials.find(url),

    requireSignedIn() {
      if (credentials.find(url)?.token) return
      throw new Failure('signIn', `You are not signed in at ${url}.`, { fix: 'Run: svc login' })
    },

    asDeveloper,

    logIn: async (body: Login) => keep(await signInCalls('logIn', { body })),
    signUp: async (body: NewAccount) => keep(await signInCalls('signUp', { body })),

    /** Signs in with an existing developer token. */
    async signInWithToken(text: string): Promise<Credential> {
      const token = text.trim()
      if (!/^kds_[\w-]+$/.test(token))
        throw new Failure('usage', 'This is not a developer token; those start with kds_.')
      const { developer } = await service
        .asDeveloper({ token: () => token })('readMe', {})
        .catch((error: unknown) => {
          if (!isFailure(error, 'unauthorized')) throw error
          throw new Failure('signIn', `${url} rejected this token: it is unknown or has expired.`, {
            code: 'unauthorized',
            fix: 'Sign in with a password: svc login --email you@example.com',
          })
        })
      return keep({ developer, token, expiresIn: 0 })
    },

    /** Signs in to the local account of a service on this machine; creates it if needed. */
    async local(): Promise<Credential & { isNew: boolean }> {
      if (!isLoopback(url))
        throw new Failure('usage', 'Local accounts work only with a service on this machine.')
      const { email, password } = credentials.find(url) ?? {}
      if (email === LOCAL_EMAIL && password !== undefined)
        return { ...(await reopenLocal(password)), isNew: false }
      const made = randomText()
      return { ...(await keep(await makeLocal(made), made)), isNew: true }
    },

    async logOut() {
      const { token } = credentials.find(url) ?? {}
      if (token === undefined) return
      await credentials.remove(url)
      await service
        .asDeveloper({ token: () => token })('logOut', {})
        .catch((error: unknown) => {
          if (!isFailure(error, 'unauthorized', 'unreachable')) throw error
        })
    },
  }
}
