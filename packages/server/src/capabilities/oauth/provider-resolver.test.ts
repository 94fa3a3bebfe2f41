import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newPkce, RETURN_URL, startServiceForPlayers } from '../../testing/player-sign-in.ts'
import { engines } from '../../testing/service.ts'
import { createProviderResolver, type OfferDeps } from './provider-resolver.ts'

const SHARED = { SVC_X_CLIENT_ID: 'shared-app', SVC_X_CLIENT_SECRET: 'shared-secret' }
const ENVIRONMENT = { id: 'env_1', projectId: 'prj_1', name: 'production', slug: 'game' } as const

describe('x_signin_unavailable', () => {
  const nobody = async () => ({ failure: 'provider_error' as const, reason: 'not asked here' })
  const engine = { start: nobody, finish: nobody }
  const offerWith = (changed: Partial<OfferDeps>, settings: object = { useShared: true }) =>
    createProviderResolver({
      credentials: { open: async () => ({ settings, secret: 'secret' }) },
      config: {
        current: async () => {
          const on = { enabled: true }
          return { config: { auth: { providers: { google: on, discord: on, apple: on, x: on } } } }
        },
      },
      engines: { google: engine, discord: engine, apple: engine, x: engine },
      testProvider: engine,
      sharedXApp: { clientId: 'shared', clientSecret: 'secret' },
      xSignInCharged: true,
      sharedAppOverdue: async () => true,
      noteSharedSignIn: () => {},
      ...changed,
    })(ENVIRONMENT, 'x')

  test('[OAU-16] the shared X app while the balance is overdue answers 402 with the advice to continue as a guest', async () => {
    await assert.rejects(offerWith({}), {
      code: 'x_signin_unavailable',
      status: 402,
      details: { continueAsGuest: true },
    })
  })

  test('[OAU-16] only if the provider charges, only while overdue, and only for the shared app', async () => {
    assert.ok(await offerWith({ xSignInCharged: false }))
    assert.ok(await offerWith({ sharedAppOverdue: async () => false }))
    assert.ok(await offerWith({}, { clientId: 'own' }))
  })
})

for (const engine of engines) {
  describe(`the shared X app (${engine})`, () => {
    let service: Awaited<ReturnType<typeof startServiceForPlayers>>
    before(async () => {
      service = await startServiceForPlayers(engine, { ...SHARED, SVC_X_SIGN_IN_CHARGED: 'on' })
    })
    after(() => service.stop())

    test('[OAU-16] [OAU-19] with a shared app, x works without setup', async () => {
      const { development, developer } = service.app
      const path = `${development.path}/auth/providers/x`
      const { body } = await developer.call('PUT', path, { useShared: true })
      assert.deepEqual([body.useShared, body.secretSet], [true, false])

      const started = await development.public('POST', '/v1/auth/oauth/x/start', {
        redirectUrl: RETURN_URL,
        challenge: newPkce().challenge,
      })
      assert.equal(started.status, 200)
      assert.equal(new URL(started.body.url).searchParams.get('client_id'), 'shared-app')
    })
  })
}
