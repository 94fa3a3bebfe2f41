import assert from 'node:assert/strict'

import { type Guest, asGuest } from './guests.ts'
import type { Service, TestEnvironment } from './service.ts'

export const PASSWORD = 'correct horse'

/** A project in which players may have an email and a password. */
export async function newEmailProject(service: Service, config: object = {}, name?: string) {
  const project = await service.newProject(undefined, name)
  for (const side of [project.development, project.production]) {
    const pushed = await side.server('PUT', '/v1/config', { features: { emailLogin: true }, ...config })
    assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
  }
  return project
}

/** What a player with an email can do in one environment. */
export function emailCalls(side: Pick<TestEnvironment, 'public'>) {
  const signUp = (email: string, rest: object = {}) =>
    side.public('POST', '/v1/auth/email/signup', { email, password: PASSWORD, ...rest })

  return {
    signUp,
    async player(email: string): Promise<Guest> {
      const { status, body } = await signUp(email)
      assert.equal(status, 200, JSON.stringify(body))
      return asGuest(side.public, body)
    },
    logIn: (email: string, password = PASSWORD) =>
      side.public('POST', '/v1/auth/email/login', { email, password }),
    verify: (token: string) => side.public('POST', '/v1/auth/email/verify', { token }),
    forgot: (email: string, rest: object = {}) =>
      side.public('POST', '/v1/auth/password/forgot', { email, ...rest }),
    reset: (token: string, password: string) =>
      side.public('POST', '/v1/auth/password/reset', { token, password }),
    refresh: (refreshToken: string) => side.public('POST', '/v1/auth/refresh', { refreshToken }),
    link: (guest: Guest, email: string, rest: object = {}) =>
      guest.call('POST', '/v1/auth/link/email', { email, password: PASSWORD, ...rest }),
  }
}

/** The link in the newest mail to this address. */
export async function linkMailedTo(service: Service, email: string) {
  await service.background.drained()
  const mails = await service.mailsTo(email)
  const [url = '', base = '', token = '', type = ''] =
    /(\S+)#svc_token=([\w-]+)&svc_type=(\w+)/.exec(mails[0]?.text ?? '') ?? []
  return { url, base, token, type, mails: mails.length }
}
