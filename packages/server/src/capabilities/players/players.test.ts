import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { FEATURES } from '@svc/contract/common/features'

import { newGuest } from '../../testing/guests.ts'
import type { Call } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const MINUTE_MS = 60_000

suite('players', { features: {} }, ({ service, project }) => {
  let app: Call
  before(async () => {
    app = project.development.public
  })

  const guestNamed = (displayName: string) => app('POST', '/v1/auth/guest', { displayName })

  test('[PLY-01] [PLY-02] [PLY-03] [PLY-05] [AUT-01] [AUT-02] a guest is a player that has only a name', async () => {
    const { status, body } = await app('POST', '/v1/auth/guest')
    assert.equal(status, 200)
    const createdAt = service.clock.now().toISOString()
    assert.deepEqual(body.player, {
      id: body.player.id,
      displayName: body.player.displayName,
      isGuest: true,
      createdAt,
      identities: [{ provider: 'guest', linkedAt: createdAt }],
      emailVerified: false,
      email: null,
      avatarUrl: null,
    })
    assert.match(body.player.id, /^ply_/)
  })

  test('[PLY-06] the default name is Guest- and four unambiguous characters', async () => {
    const names = await Promise.all(Array.from({ length: 40 }, () => newGuest({ public: app })))
    for (const { displayName } of names) assert.match(displayName, /^Guest-[0-9A-HJKMNP-TV-Z]{4}$/)
    assert.ok(new Set(names.map(({ displayName }) => displayName)).size > 30)
  })

  test('[PLY-06] [AUT-01] a name is trimmed, NFC, 1 to 32 characters, and need not be unique', async () => {
    const nameOf = async (input: string) => (await guestNamed(input)).body.player.displayName
    assert.equal(await nameOf('  Ada  '), 'Ada')
    assert.equal(await nameOf('Ada'), 'Ada')
    assert.equal(await nameOf('Zoe\u0308'), 'Zo\u00eb')
    assert.equal(await nameOf('x'.repeat(32)), 'x'.repeat(32))
    assert.equal(await nameOf('😀'.repeat(32)), '😀'.repeat(32))
    assert.equal(await nameOf(`${' '.repeat(40)}e\u0301`), '\u00e9')
    assert.equal(await nameOf('👩\u200d👩\u200d👧'), '👩\u200d👩\u200d👧')
    assert.equal(await nameOf('<b>&"\''), '<b>&"\'')
  })

  const WRONG_NAMES = [
    '',
    '   ',
    'x'.repeat(33),
    '😀'.repeat(33),
    'a\u0000b',
    'a\tb',
    'a\nb',
    'a\u007fb',
    'a\u0085b',
    'a\u2028b',
    '\u202eada',
    '\u2066ada',
    '\u200b',
    '\u3164',
    'x'.repeat(10_000),
  ]

  test('[PLY-06] an empty, invisible or longer name, or one with control characters, answers 400', async () => {
    const { call } = await newGuest({ public: app })
    for (const displayName of WRONG_NAMES) {
      assert.equal((await guestNamed(displayName)).status, 400, JSON.stringify(displayName))
      const renamed = await call('PATCH', '/v1/players/me', { displayName })
      assert.equal(renamed.status, 400, JSON.stringify(displayName))
    }
    for (const displayName of [7, null, [], {}]) {
      assert.equal((await app('POST', '/v1/auth/guest', { displayName })).status, 400)
    }
  })

  test('[AUT-24] players read and rename themselves; nothing else changes', async () => {
    const { call } = await newGuest({ public: app })
    const { body: before } = await call('GET', '/v1/players/me')
    service.clock.advance(MINUTE_MS)

    const { status, body } = await call('PATCH', '/v1/players/me', { displayName: ' Grace ' })
    assert.equal(status, 200)
    assert.deepEqual(body, { player: { ...before.player, displayName: 'Grace' } })
    assert.deepEqual((await call('GET', '/v1/players/me')).body, body)
  })

  test('[AUT-24] only the name can be changed, and it is required', async () => {
    const { call, id } = await newGuest({ public: app })
    assert.equal((await call('PATCH', '/v1/players/me', {})).status, 400)
    const { body } = await call('PATCH', '/v1/players/me', {
      displayName: 'Ada',
      id: 'ply_other',
      email: 'ada@example.com',
      isGuest: false,
      createdAt: '2020-01-01T00:00:00.000Z',
    })
    assert.deepEqual([body.player.id, body.player.email, body.player.isGuest], [id, null, true])
  })

  test('[AUT-24] a profile requires its player’s token: no token, or one of another environment, answers 401', async () => {
    const { accessToken } = await newGuest({ public: app })
    const authorization = { authorization: `Bearer ${accessToken}` }
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'PATCH' ? { displayName: 'Ada' } : undefined
      assert.equal((await app(method, '/v1/players/me', body)).body.error.code, 'unauthorized')
      const elsewhere = await project.production.public(method, '/v1/players/me', body, authorization)
      assert.equal(elsewhere.body.error.code, 'invalid_token')
    }
  })

  test('[GEN-44] guest sign-in, refresh, the own profile and config reading work with every feature off', async () => {
    const { development } = await service.newProject()
    const off = Object.fromEntries(Object.keys(FEATURES).map((name) => [name, false]))
    await development.server('PUT', '/v1/config', { features: off })

    const guest = await newGuest(development)
    assert.equal((await guest.call('GET', '/v1/players/me')).status, 200)
    assert.equal((await guest.call('PATCH', '/v1/players/me', { displayName: 'Ada' })).status, 200)
    const { refreshToken } = guest
    assert.equal((await development.public('POST', '/v1/auth/refresh', { refreshToken })).status, 200)
    assert.deepEqual((await development.server('GET', '/v1/config')).body.config, { features: off })
  })

  test('[AUT-01] a production environment accepts 120 new guests per minute from one address', async () => {
    const { production } = await service.newProject()
    const statuses: number[] = []
    for (let i = 0; i < 121; i++) statuses.push((await production.public('POST', '/v1/auth/guest')).status)
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses[120]], [120, 429])
    service.clock.advance(MINUTE_MS)
    assert.equal((await production.public('POST', '/v1/auth/guest')).status, 200)
  })
})
