import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import fc from 'fast-check'

import { MINUTE_MS } from '../../platform/clock.ts'
import { emailCalls, linkMailedTo, newEmailProject, PASSWORD } from '../../testing/email-players.ts'
import { asGuest, type Guest, newGuest } from '../../testing/guests.ts'
import { runs } from '../../testing/runs.ts'
import { suite } from '../../testing/suite.ts'

const STEPS = [
  'rename',
  'link',
  'link a taken email',
  'log in',
  'refresh',
  'verify',
  'resend',
  'reset',
] as const

/** Long enough that no step reaches the limits of mails: three in ten minutes, ten per day. */
const STEP_MS = 4 * MINUTE_MS

/** The expected state of a player. */
type Model = {
  id: string
  createdAt: string
  displayName: string
  email: string | null
  emailVerified: boolean
  password: string
}

suite('histories of players', {}, ({ service }) => {
  let project: Awaited<ReturnType<typeof newEmailProject>>
  let calls: ReturnType<typeof emailCalls>
  before(async () => {
    project = await newEmailProject(service)
    calls = emailCalls(project.development)
    await calls.signUp('taken@example.com')
  })
  let count = 0

  /** Runs one step and returns the player afterwards. */
  async function take(step: (typeof STEPS)[number], player: Guest, model: Model): Promise<Guest> {
    const { email } = model
    switch (step) {
      case 'rename': {
        model.displayName = `Name ${++count}`
        const renamed = await player.call('PATCH', '/v1/players/me', { displayName: model.displayName })
        assert.equal(renamed.status, 200)
        return player
      }
      case 'link': {
        const wanted = `history${++count}@example.com`
        const { status, body } = await calls.link(player, wanted, { password: model.password })
        if (email !== null) assert.equal(body.error.code, 'identity_already_linked')
        else {
          assert.equal(status, 200)
          model.email = wanted
        }
        return player
      }
      case 'link a taken email': {
        const { body } = await calls.link(player, 'taken@example.com')
        assert.equal(body.error.code, email === null ? 'email_taken' : 'identity_already_linked')
        return player
      }
      case 'log in': {
        const { status, body } = await calls.logIn(email ?? 'nobody@example.com', model.password)
        assert.equal(status, email === null ? 401 : 200)
        return email === null ? player : asGuest(project.development.public, body)
      }
      case 'refresh': {
        const { body } = await calls.refresh(player.refreshToken)
        return asGuest(project.development.public, body)
      }
      case 'verify': {
        const { token, type } = await linkMailedTo(service, email ?? 'nobody@example.com')
        const { status } = await calls.verify(token || 'none')
        assert.equal(status, type === 'verify' && !model.emailVerified ? 200 : 400)
        if (status === 200) model.emailVerified = true
        return player
      }
      case 'resend': {
        const { status, body } = await player.call('POST', '/v1/auth/email/resend', {})
        assert.equal(status, email === null ? 409 : 200)
        if (email !== null) assert.equal(body.sent, !model.emailVerified)
        return player
      }
      case 'reset': {
        await calls.forgot(email ?? 'nobody@example.com')
        if (email === null) return player
        model.password = `${PASSWORD} ${++count}`
        const { token } = await linkMailedTo(service, email)
        assert.equal((await calls.reset(token, model.password)).status, 200)
        model.emailVerified = true
        assert.equal((await calls.refresh(player.refreshToken)).body.error.code, 'session_revoked')
        return asGuest(project.development.public, (await calls.logIn(email, model.password)).body)
      }
    }
  }

  async function check(player: Guest, model: Model, age: unknown) {
    const { body } = await player.call('GET', '/v1/players/me')
    const { identities, ...rest } = body.player
    const { password: _, ...expected } = model
    assert.deepEqual(rest, { ...expected, isGuest: model.email === null, avatarUrl: null })
    assert.deepEqual(
      identities.map(({ provider }: { provider: string }) => provider),
      [model.email === null ? 'guest' : 'email'],
    )
    assert.deepEqual((await player.call('GET', '/v1/social/profile')).body, age)
  }

  test('[PLY-03] [AUT-08] [AUT-09] id, creation time and data never change, and a guest is a player without a sign-in method', async () => {
    const histories = fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        let player = await newGuest(project.development)
        const { body } = await player.call('GET', '/v1/players/me')
        const { id, createdAt, displayName } = body.player
        const model: Model = {
          id,
          createdAt,
          displayName,
          email: null,
          emailVerified: false,
          password: PASSWORD,
        }
        const { body: age } = await player.call('PUT', '/v1/social/age', { band: 'teen' })

        for (const step of steps) {
          service.clock.advance(STEP_MS)
          player = await take('refresh', player, model)
          player = await take(step, player, model)
          await check(player, model, age)
        }
      }),
      { numRuns: runs(6, 100) },
    )
  })
})
