import type { DeveloperSession } from '@svc/contract/developers'

import { isLoopback } from './address.ts'
import type { Send } from './api.ts'
import type { Credential, Credentials } from './credentials.ts'
import { Failure, isFailure } from './failure.ts'

export type SessionNeeds = { url: string; send: Send; credentials: Credentials; randomText(): string }
export type Session = ReturnType<typeof createSession>

/** Of the account that the CLI makes at a service on this machine, so that nothing stands before the first project. */
export const LOCAL_EMAIL = 'developer@localhost'

/** The developer at one service. */
export function createSession({ url, send, credentials, randomText }: SessionNeeds) {
  const open = (path: 'signup' | 'login', email: string, password: string) =>
    send('POST', `/v1/developers/${path}`, { body: { email, password } }) as Promise<DeveloperSession>

  async function keep({ developer, token }: DeveloperSession, password?: string): Promise<Credential> {
    const credential = { email: developer.email, token, ...(password !== undefined && { password }) }
    await credentials.keep(url, credential)
    return credential
  }

  /** The data folder of a local service may have been emptied since: then the account is made anew. */
  async function reopenLocal(password: string): Promise<Credential> {
    const opened = await open('login', LOCAL_EMAIL, password).catch((error: unknown) => {
      if (!isFailure(error, 'invalid_credentials')) throw error
      return makeLocal(password)
    })
    return keep(opened, password)
  }

  async function makeLocal(password: string): Promise<DeveloperSession> {
    return open('signup', LOCAL_EMAIL, password).catch((error: unknown) => {
      if (!isFailure(error, 'email_taken')) throw error
      throw new Failure('signIn', `${url} has a local developer account already, made from elsewhere.`, {
        fix: 'Sign in with an account of your own: svc login --email you@example.com',
      })
    })
  }

  return {
    current: (): Credential | undefined => credentials.of(url),

    token(): string {
      const token = credentials.of(url)?.token
      if (token) return token
      throw new Failure('signIn', `You are not signed in at ${url}.`, { fix: 'Run: svc login' })
    },

    /** After a refused token: true when there is a new one. */
    async renew(): Promise<boolean> {
      const { email, password } = credentials.of(url) ?? {}
      if (email !== LOCAL_EMAIL || password === undefined || !isLoopback(url)) return false
      await reopenLocal(password)
      return true
    },

    logIn: async (email: string, password: string) => keep(await open('login', email, password)),
    signUp: async (email: string, password: string) => keep(await open('signup', email, password)),

    /** With a token that was got elsewhere. */
    async adopt(given: string): Promise<Credential> {
      const token = given.trim()
      if (!/^kds_[\w-]+$/.test(token))
        throw new Failure('usage', 'This is no developer token: one begins with kds_.')
      const answer = await send('GET', '/v1/developers/me', {}, { Authorization: `Bearer ${token}` }).catch(
        (error: unknown) => {
          if (!isFailure(error, 'unauthorized')) throw error
          throw new Failure('signIn', `${url} does not know this token, or it has ended.`, {
            code: 'unauthorized',
            fix: 'Sign in with a password: svc login --email you@example.com',
          })
        },
      )
      const { developer } = answer as Pick<DeveloperSession, 'developer'>
      return keep({ developer, token, expiresIn: 0 })
    },

    /** The account of this machine's own service; made when there is none. */
    async local(): Promise<Credential & { isNew: boolean }> {
      if (!isLoopback(url))
        throw new Failure('usage', 'A local account is for a service on this machine only.')
      const { email, password } = credentials.of(url) ?? {}
      if (email === LOCAL_EMAIL && password !== undefined)
        return { ...(await reopenLocal(password)), isNew: false }
      const made = randomText()
      return { ...(await keep(await makeLocal(made), made)), isNew: true }
    },

    async logOut() {
      const { token } = credentials.of(url) ?? {}
      if (token === undefined) return
      await credentials.forget(url)
      await send('POST', '/v1/developers/logout', {}, { Authorization: `Bearer ${token}` }).catch(
        (error: unknown) => {
          if (!isFailure(error, 'unauthorized', 'unreachable')) throw error
        },
      )
    },
  }
}
