import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { linkMailedTo } from '../../server/src/testing/email-players.ts'
import type { SvcError } from '../src/index.ts'
import { CONFIG, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'

const PASSWORD = 'correct horse'
const code = (expected: string) => (error: SvcError) => error.code === expected

let fixtures: Fixtures
before(async () => {
  fixtures = await startFixtures({ ...CONFIG, share: { inAppBrowser: { enabled: true } } })
})
after(() => fixtures.stop())

let count = 0
const newEmail = () => `player${++count}@example.com`

test('a guest gets an email and a password, and stays the same player with the same saves', async () => {
  const svc = await fixtures.client()
  const { id } = svc.player
  await svc.saves.put('best', { score: 7 })
  const received = next<[{ isGuest: boolean }]>(svc, 'player')

  const player = await svc.auth.linkEmail({ email: newEmail(), password: PASSWORD })

  assert.deepEqual([player.id, player.isGuest, svc.player.isGuest], [id, false, false])
  assert.equal((await received)[0].isGuest, false)
  assert.deepEqual((await svc.saves.get('best'))?.data, { score: 7 })
})

test('sign-up, sign-out and log-in lead to the same player; a wrong password is refused', async () => {
  const svc = await fixtures.client()
  const email = newEmail()
  const { id } = await svc.auth.signUpWithEmail({ email, password: PASSWORD, displayName: 'Bo' })
  await svc.auth.signOut()
  assert.equal(svc.auth.signedIn, false)

  await assert.rejects(
    svc.auth.signInWithEmail({ email, password: 'wrong horse' }),
    code('invalid_credentials'),
  )
  const player = await svc.auth.signInWithEmail({ email, password: PASSWORD })

  assert.deepEqual([player.id, svc.player.displayName, svc.auth.signedIn], [id, 'Bo', true])
})

test('a guest who signs in as another player is kept on this device, and is back after a sign-out and a reload', async () => {
  const storage = sharedStorage()
  const email = newEmail()
  await (await fixtures.client()).auth.signUpWithEmail({ email, password: PASSWORD })
  const svc = await fixtures.client({ storage })
  const guest = svc.player
  await svc.saves.put('best', { score: 7 })

  await svc.auth.signInWithEmail({ email, password: PASSWORD })
  assert.notEqual(svc.player.id, guest.id)
  await svc.auth.signOut()
  // Longer than an access token lasts.
  fixtures.service.clock.advance(20 * 60_000)
  const back = await fixtures.client({ storage })

  assert.deepEqual([back.player.id, back.player.isGuest], [guest.id, true])
  assert.deepEqual((await back.saves.get('best'))?.data, { score: 7 })
  await back.auth.signOut()
  assert.notEqual(
    (await fixtures.client({ storage })).player.id,
    guest.id,
    'a guest who signs out is not kept',
  )
})

test('every guest of this device is kept: codes of other guests do not displace the first one', async () => {
  const storage = sharedStorage()
  const own = await fixtures.client({ storage })
  const ids = [own.player.id]
  for (let count = 0; count < 2; count++) {
    const { code: transfer } = await (await fixtures.client()).auth.createTransferCode()
    ids.push((await own.auth.redeemTransferCode(transfer)).id)
  }

  for (const id of ids.toReversed()) {
    const svc = await fixtures.client({ storage })
    assert.equal(svc.player.id, id)
    await svc.auth.signOut()
  }
  assert.equal(ids.includes((await fixtures.client({ storage })).player.id), false)
})

test('a kept guest whose session has ended is replaced by a new guest', async () => {
  const storage = sharedStorage()
  const svc = await fixtures.client({ storage })
  const { id } = svc.player
  await svc.auth.signUpWithEmail({ email: newEmail(), password: PASSWORD })
  await svc.auth.signOut()
  fixtures.service.clock.advance(91 * 24 * 60 * 60_000)
  const later = await fixtures.client({ storage })
  assert.notEqual(later.player.id, id)
  assert.equal(later.player.isGuest, true)
  assert.deepEqual(await later.saves.list(), [])
})

test('an account is not kept when another one signs in: it can sign in again', async () => {
  const storage = sharedStorage()
  const svc = await fixtures.client({ storage })
  await svc.auth.linkEmail({ email: newEmail(), password: PASSWORD })
  const { id } = svc.player
  await svc.auth.signUpWithEmail({ email: newEmail(), password: PASSWORD })
  await svc.auth.signOut()
  assert.notEqual((await fixtures.client({ storage })).player.id, id)
})

test('cached save versions are cleared when the player changes', async () => {
  const svc = await fixtures.client()
  await svc.saves.put('slot', 1)
  await svc.saves.put('slot', 2)
  await svc.auth.guest()
  assert.equal((await svc.saves.put('slot', 3)).version, 1)
})

test('the token of the mail verifies the address, and the mail can be sent again', async () => {
  const svc = await fixtures.client()
  const email = newEmail()
  await svc.auth.signUpWithEmail({ email, password: PASSWORD, language: 'de' })
  const first = await linkMailedTo(fixtures.service, email)
  fixtures.service.clock.advance(60_000)
  assert.equal(await svc.auth.resendVerification(), true)
  const second = await linkMailedTo(fixtures.service, email)

  await assert.rejects(svc.auth.verifyEmail(first.token), code('invalid_or_expired_token'))
  await svc.auth.verifyEmail(second.token)

  assert.equal(svc.player.emailVerified, true)
  assert.equal(await svc.auth.resendVerification(), false)
})

test('the token of the mail resets the password and signs out everywhere', async () => {
  const svc = await fixtures.client()
  const email = newEmail()
  await svc.auth.signUpWithEmail({ email, password: PASSWORD })
  await svc.auth.forgotPassword(email)
  const { token } = await linkMailedTo(fixtures.service, email)

  await svc.auth.resetPassword(token, 'battery staple')

  fixtures.service.clock.advance(20 * 60_000)
  await assert.rejects(svc.saves.list(), (error: SvcError) => error.details['reason'] === 'password_reset')
  await svc.auth.signInWithEmail({ email, password: 'battery staple' })
  assert.deepEqual(await svc.saves.list(), [])
})

test('a player can change the name, and list and remove sign-in methods', async () => {
  const svc = await fixtures.client()
  assert.equal((await svc.auth.rename('Zoë')).displayName, 'Zoë')
  assert.equal(svc.player.displayName, 'Zoë')
  await svc.auth.linkEmail({ email: newEmail(), password: PASSWORD })
  const [identity] = await svc.auth.identities()
  assert.equal(identity?.provider, 'email')

  await assert.rejects(svc.auth.unlink('email'), code('last_login_method'))
  await assert.rejects(svc.auth.unlink('google'), code('identity_not_found'))
  await assert.rejects(svc.auth.linkWith('google'), code('not_available'))
})

test('calls that use the refresh token work with an expired access token', async () => {
  const svc = await fixtures.client()
  fixtures.service.clock.advance(20 * 60_000)
  await assert.rejects(svc.auth.unlink('google'), code('identity_not_found'))
  fixtures.service.clock.advance(20 * 60_000)
  await svc.auth.deleteAccount()
  assert.equal(svc.auth.signedIn, false)
})

test('a player can export the own data and delete the account', async () => {
  const svc = await fixtures.client()
  const received = next<[string]>(svc, 'signed_out')
  await svc.saves.put('best', { score: 1 })
  const data = await svc.auth.exportData()
  assert.match(JSON.stringify(data), /score/)

  await svc.auth.deleteAccount()

  assert.deepEqual(await received, ['deleted'])
  const { status } = await fixtures.development.server('GET', `/v1/admin/players/${svc.player.id}`)
  assert.equal(status, 404)
})

test('deleting an account with a password requires the password', async () => {
  const svc = await fixtures.client()
  await svc.auth.signUpWithEmail({ email: newEmail(), password: PASSWORD })
  await assert.rejects(svc.auth.deleteAccount({ password: 'wrong horse' }), code('invalid_credentials'))
  assert.equal(svc.auth.signedIn, true)
  await svc.auth.deleteAccount({ password: PASSWORD })
  assert.equal(svc.auth.signedIn, false)
})

test('an age group is declared, and can then only become stricter', async () => {
  const svc = await fixtures.client()
  assert.equal((await svc.auth.declareAge('teen')).ageBand, 'teen')
  await assert.rejects(svc.auth.declareAge('adult'), code('age_change_not_allowed'))
  const signal = { platform: 'ios', status: 'declared', upperBound: 12 } as const
  assert.equal((await svc.auth.reportAgeSignal(signal)).ageBand, 'child')
  assert.equal((await svc.auth.age()).ageBand, 'child')
})

test('a transfer code continues as the same player in another browser, once', async () => {
  const [here, there] = [await fixtures.client(), await fixtures.client()]
  const { code: transfer } = await here.auth.createTransferCode()
  const player = await there.auth.redeemTransferCode(transfer)
  assert.deepEqual([player.id, there.player.id], [here.player.id, here.player.id])
  await assert.rejects(there.auth.redeemTransferCode(transfer), code('invalid_code'))
})

test('the news box comes from the service, in the language that was asked for', async () => {
  const svc = await fixtures.client()
  const [german, english] = [await svc.auth.newsBox('de'), await svc.auth.newsBox()]
  assert.equal(german.show, true)
  assert.match(german.html, /lang="de".*type="checkbox"/)
  assert.match(english.html, /lang="en"/)
})

test('appeal without a ban fails, and sanctions without a player are empty', async () => {
  const svc = await fixtures.client()
  assert.deepEqual(await svc.auth.sanctions(), [])
  await assert.rejects(svc.auth.appeal('why'), code('sanction_not_found'))
  await svc.auth.signOut()
  await assert.rejects(svc.auth.appeal('why'), code('signed_out'))
})
