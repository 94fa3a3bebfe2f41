import { type DeveloperSession, LOCAL_EMAIL } from '@svc/contract/developers/developers'
import type { DeviceCode } from '@svc/contract/developers/device-codes'

import { Failure, ignoring, isFailure } from '../output/failure.ts'
import { isLoopback } from '../service/address.ts'
import type { Service } from '../service/service.ts'
import { withoutUndefined } from '../without-undefined.ts'
import type { Credential, Credentials } from './credentials.ts'
import { readSetUpToken } from './set-up-link.ts'

type SessionOptions = {
  url: string
  service: Service
  credentials: Credentials
  randomText(): string
  /** A developer token for this command alone: `--token` or SVC_TOKEN. */
  givenToken: string | undefined
}
export type Session = ReturnType<typeof createSession>

type Login = { email: string; password: string }
type NewAccount = Login & { invitation?: string }

export { LOCAL_EMAIL }

const GIVEN_TOKEN = 'the developer token of --token or SVC_TOKEN'

function requireToken(text: string): string {
  const token = text.trim()
  if (/^kds_[\w-]+$/.test(token)) return token
  throw new Failure('usage', 'This is not a developer token; those start with kds_.')
}

/** The developer at one service. */
export function createSession({ url, service, credentials, randomText, givenToken }: SessionOptions) {
  const given = givenToken === undefined ? undefined : { email: GIVEN_TOKEN, token: requireToken(givenToken) }
  const current = (): Credential | undefined => given ?? credentials.find(url)
  const asDeveloper = service.asDeveloper({ token: () => current()?.token, renewToken: renew })
  const signInCalls = service.asDeveloper({ token: () => undefined })

  async function keep({ developer, token }: DeveloperSession, password?: string): Promise<Credential> {
    const credential = withoutUndefined({ email: developer.email, token, password })
    await credentials.save(url, credential)
    return credential
  }

  /** Whether the service has no developer account yet. */
  const isNew = async () => (await signInCalls('readPlatformInfo', {})).setup

  async function reopenLocal(password: string): Promise<Credential | undefined> {
    const body = { email: LOCAL_EMAIL, password }
    const opened = await signInCalls('logIn', { body }).catch(ignoring('invalid_credentials'))
    return opened && keep(opened, password)
  }

  async function create(password: string) {
    const made = await makeLocal(password)
    return { ...(await keep(made, password)), isOperator: made.developer.isOperator }
  }

  /** With it the account is the operator's. Undefined if there is an operator, or if another user runs the service. */
  async function setUpToken({ onlyIfOpen = false } = {}): Promise<string | undefined> {
    if (!isLoopback(url)) return undefined
    const { local, signUp } = await signInCalls('readPlatformInfo', {})
    if (!local?.operatorSocket || (onlyIfOpen && signUp !== 'open')) return undefined
    return readSetUpToken(url, local.operatorSocket)
  }

  async function makeLocal(password: string): Promise<DeveloperSession> {
    const body = withoutUndefined({ email: LOCAL_EMAIL, password, invitation: await setUpToken() })
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
    const { email, password } = current() ?? {}
    if (email !== LOCAL_EMAIL || password === undefined || !isLoopback(url)) return false
    if (await reopenLocal(password)) return true
    // If the data folder of a local service is new, the account is created again.
    if (!(await isNew())) return false
    await create(password)
    return true
  }

  return {
    current,
    isNew,
    hasGivenToken: given !== undefined,

    /** A service that does not respond is reported first: signing in there would fail as well. */
    async requireSignedIn() {
      if (current()?.token) return
      await isNew()
      throw new Failure('signIn', `You are not signed in at ${url}.`, { fix: 'Run: svc login' })
    },

    asDeveloper,

    startDeviceSignIn: (): Promise<DeviceCode> => signInCalls('createDeviceCode', {}),
    /** Undefined while no developer has decided. */
    async collectDeviceSignIn(deviceSecret: string): Promise<Credential | undefined> {
      const { status, session } = await signInCalls('collectDeviceSession', { body: { deviceSecret } })
      if (status === 'refused') throw new Failure('signIn', 'Somebody refused the code in the dashboard.')
      return session ? keep(session) : undefined
    },

    logIn: async (body: Login) => keep(await signInCalls('logIn', { body })),
    /** Where nobody needs an invitation, the first account on this machine is the operator's, as that of `local`. */
    async signUp({ invitation, ...login }: NewAccount) {
      const token = invitation ?? (await setUpToken({ onlyIfOpen: true }))
      const body = withoutUndefined({ ...login, invitation: token })
      return keep(await signInCalls('signUp', { body }))
    },

    /** Signs in with an existing developer token. */
    async signInWithToken(text: string): Promise<Credential> {
      const token = requireToken(text)
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
    async local(): Promise<Credential & { isOperator?: boolean }> {
      if (!isLoopback(url))
        throw new Failure('usage', 'Local accounts work only with a service on this machine.')
      const { email, password } = credentials.find(url) ?? {}
      if (email !== LOCAL_EMAIL || password === undefined) return create(randomText())
      return (await reopenLocal(password)) ?? create(password)
    },

    async logOut() {
      const { token } = credentials.find(url) ?? {}
      if (token === undefined) return
      await credentials.remove(url)
      await service
        .asDeveloper({ token: () => token })('logOut', {})
        .catch(ignoring('unauthorized', 'unreachable'))
    },
  }
}
