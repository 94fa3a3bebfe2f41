import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type Guest, newGuest } from '../../testing/guests.ts'
import type { Answer } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const FREE = { directPeer: true, voice: true, publicXProfile: true, newsOptIn: true }
const CHILD = { directPeer: false, voice: true, publicXProfile: false, newsOptIn: false }

suite('ages', { features: {} }, ({ project }) => {
  const setAudience = (audience: string) => project.development.server('PUT', '/v1/config', { audience })
  const profile = (guest: Guest) => guest.call('GET', '/v1/social/profile')
  const declare = (guest: Guest, band: unknown) => guest.call('PUT', '/v1/social/age', { band })
  const signal = (guest: Guest, input: object) =>
    guest.call('POST', '/v1/players/me/age-signal', { platform: 'ios', status: 'sharing', ...input })
  const correct = ({ id }: { id: string }, band: unknown) =>
    project.development.server('PUT', `/v1/admin/players/${id}/age`, { band })
  const bandIn = ({ body }: Answer) => body.ageBand

  test('[AGE-01] [AGE-02] [AGE-09] unknown age is adult in general, child in mixed and in kids', async () => {
    const guest = await newGuest(project.development)
    for (const [audience, ageBand, capabilities] of [
      ['general', 'adult', FREE],
      ['mixed', 'child', CHILD],
      ['kids', 'child', CHILD],
    ] as const) {
      await setAudience(audience)
      const { status, body } = await profile(guest)
      assert.equal(status, 200)
      assert.deepEqual(body, { ageBand, declaredAgeBand: null, capabilities })
    }
    await setAudience('general')
  })

  test('[AGE-03] [AGE-04] the first declaration may be any band, later ones must be stricter; the response is the profile', async () => {
    await setAudience('mixed')
    const guest = await newGuest(project.development)
    const first = await declare(guest, 'adult')
    assert.deepEqual(
      [first.status, first.body],
      [200, { ageBand: 'adult', declaredAgeBand: 'adult', capabilities: FREE }],
    )
    assert.equal(bandIn(await declare(guest, 'adult')), 'adult')
    assert.equal(bandIn(await declare(guest, 'teen')), 'teen')
    assert.equal((await declare(guest, 'teen')).status, 200)
    const looser = await declare(guest, 'adult')
    assert.deepEqual([looser.status, looser.body.error.code], [403, 'age_change_not_allowed'])
    assert.deepEqual((await declare(guest, 'child')).body.capabilities, CHILD)
    for (const band of ['teen', 'adult']) assert.equal((await declare(guest, band)).status, 403)
    assert.deepEqual(await profile(guest).then(({ body }) => body.declaredAgeBand), 'child')

    await setAudience('kids')
    const kid = await newGuest(project.development)
    assert.deepEqual((await declare(kid, 'adult')).body, {
      ageBand: 'child',
      declaredAgeBand: 'adult',
      capabilities: CHILD,
    })
    await setAudience('general')
    assert.equal(bandIn(await profile(kid)), 'adult')
  })

  test('[AGE-03] an unknown band answers 400', async () => {
    const guest = await newGuest(project.development)
    for (const band of ['baby', 'Adult', '', null, 13, undefined]) {
      for (const answer of [await declare(guest, band), await correct(guest, band)])
        assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_request'])
    }
    assert.deepEqual((await profile(guest)).body.declaredAgeBand, null)
  })

  test('[AGE-05] [AGE-06] a signal can only make the band stricter; the response is the profile', async () => {
    const guest = await newGuest(project.development)
    assert.equal(bandIn(await signal(guest, { lowerBound: 18 })), 'adult')
    const teen = await signal(guest, { lowerBound: 13, upperBound: 17, source: 'selfDeclared' })
    assert.deepEqual(
      [teen.status, teen.body],
      [200, { ageBand: 'teen', declaredAgeBand: null, capabilities: FREE }],
    )
    assert.equal(bandIn(await signal(guest, { lowerBound: 18, upperBound: 150 })), 'teen')
    assert.equal(bandIn(await declare(guest, 'adult')), 'teen')
    assert.equal(
      bandIn(await signal(guest, { platform: 'android', status: 'SUPERVISED', supervised: true })),
      'child',
    )
    assert.equal(bandIn(await signal(guest, { upperBound: 17 })), 'child')
    assert.deepEqual((await profile(guest)).body, {
      ageBand: 'child',
      declaredAgeBand: 'adult',
      capabilities: CHILD,
    })
  })

  test('[AGE-06] valid and invalid signals', async () => {
    const guest = await newGuest(project.development)
    const good = [
      { lowerBound: 0, upperBound: 0 },
      { lowerBound: 150, upperBound: 150 },
      { status: 'x'.repeat(64) },
      { source: 'x'.repeat(64), supervised: false },
      { platform: 'android', status: 'SUPERVISED_APPROVAL_PENDING' },
    ]
    for (const input of good) assert.equal((await signal(guest, input)).status, 200)
    const bad: [object, string][] = [
      [{ platform: 'web' }, '$.platform'],
      [{ platform: undefined }, '$.platform'],
      [{ status: undefined }, '$.status'],
      [{ status: '' }, '$.status'],
      [{ status: 'x'.repeat(65) }, '$.status'],
      [{ lowerBound: -1 }, '$.lowerBound'],
      [{ lowerBound: 151 }, '$.lowerBound'],
      [{ upperBound: 12.5 }, '$.upperBound'],
      [{ upperBound: '12' }, '$.upperBound'],
      [{ supervised: 'yes' }, '$.supervised'],
      [{ lowerBound: 14, upperBound: 13 }, '$.lowerBound'],
      [{ lowerBound: 1, upperBound: 0, supervised: true }, '$.lowerBound'],
    ]
    const free = await newGuest(project.development)
    for (const [input, path] of bad) {
      const { status, body } = await signal(free, input)
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], JSON.stringify(input))
      assert.equal(body.error.details.errors[0].path, path)
    }
    assert.equal(bandIn(await profile(free)), 'adult')
  })

  test('[AGE-07] [AGE-08] a correction may raise or lower the age, replaces declaration and signal, and is audited', async () => {
    const guest = await newGuest(project.development)
    await declare(guest, 'child')
    await signal(guest, { upperBound: 9 })

    const loosened = await correct(guest, 'adult')

    assert.deepEqual(
      [loosened.status, loosened.body],
      [200, { ageBand: 'adult', declaredAgeBand: 'adult', capabilities: FREE }],
    )
    assert.deepEqual((await profile(guest)).body, loosened.body)
    const path = `${project.development.path}/players/${guest.id}/age`
    assert.equal(bandIn(await project.developer.call('PUT', path, { band: 'teen' })), 'teen')
    // After a correction the player can only declare a stricter band.
    assert.equal((await declare(guest, 'adult')).body.error.code, 'age_change_not_allowed')
    assert.equal(bandIn(await signal(guest, { upperBound: 12 })), 'child')

    const untouched = await newGuest(project.development)
    await correct(untouched, 'child')
    assert.equal((await declare(untouched, 'adult')).status, 403)

    const { entries } = (await project.developer.call('GET', `/v1/projects/${project.id}/audit?limit=200`))
      .body
    assert.deepEqual(
      entries
        .filter(({ target }: { target: string }) => target === guest.id)
        .map((entry: { action: string; env: string; actor: { type: string }; details: object }) => [
          entry.action,
          entry.env,
          entry.actor.type,
          entry.details,
        ]),
      [
        ['player.age', 'development', 'developer', { band: 'teen' }],
        ['player.age', 'development', 'key', { band: 'adult' }],
      ],
    )
  })

  test('[AGE-08] [GEN-23] an unknown player and one of another environment answer the same 404; a publishable key 403', async () => {
    const there = await newGuest(project.production)
    const answers = [await correct({ id: 'ply_unknown' }, 'teen'), await correct(there, 'teen')]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 404],
    )
    assert.deepEqual(answers[0]?.body, answers[1]?.body)
    assert.equal(answers[0]?.body.error.code, 'player_not_found')
    assert.equal(bandIn(await profile(there)), 'adult')
    const { body } = await there.call('PUT', `/v1/admin/players/${there.id}/age`, { band: 'teen' })
    assert.equal(body.error.code, 'secret_key_required')
  })

  test('[AGE-03] [AGE-05] [AGE-08] of concurrent declarations, signals and corrections the strictest valid one is kept', async () => {
    for (let round = 0; round < 5; round++) {
      const guest = await newGuest(project.development)
      const calls = [
        () => declare(guest, 'adult'),
        () => declare(guest, 'child'),
        () => declare(guest, 'teen'),
        () => signal(guest, { upperBound: 17 }),
        () => signal(guest, { upperBound: 12 }),
        () => signal(guest, { lowerBound: 18 }),
      ]
      const answers = await Promise.all(
        [...calls.slice(round), ...calls.slice(0, round)].map((call) => call()),
      )
      for (const { status } of answers) assert.ok([200, 403].includes(status))
      const { body } = await profile(guest)
      assert.deepEqual([body.ageBand, body.declaredAgeBand], ['child', 'child'])
    }
  })
})
