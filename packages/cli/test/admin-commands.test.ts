import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'

import { comesTrue } from '../../server/src/testing/in-time.ts'
import { connect } from '../../server/src/testing/sockets.ts'
import { type TestSetup, launch, startTestSetup } from './cli.ts'

let setup: TestSetup
let folder: string
let publishable: string
before(async () => {
  setup = await startTestSetup()
  await setup.json(['new', 'game', '--no-install'])
  folder = join(setup.root, 'game')
  publishable = await keyOf('PUBLISHABLE')
  await setup.json(['config', 'push'], { folder })
})
after(() => setup.stop())

const keyOf = async (type: string) =>
  new RegExp(`^SVC_DEVELOPMENT_${type}_KEY=(.*)$`, 'm').exec(
    await readFile(join(folder, '.env'), 'utf8'),
  )?.[1] ?? ''

async function newGuest(displayName: string) {
  const { body } = await setup.call('POST', '/v1/auth/guest', { key: publishable, body: { displayName } })
  return {
    id: body.player.id as string,
    accessToken: body.accessToken as string,
    refreshToken: body.refreshToken as string,
  }
}

/** A ban of a banned player keeps its beginning. */
const hoursOf = ({ bannedAt, banExpiresAt }: { bannedAt: string; banExpiresAt: string }) =>
  Math.round((Date.parse(banExpiresAt) - Date.parse(bannedAt)) / 3_600_000)

const setByOf = async (playerId: string): Promise<string> =>
  (await setup.json(['players', 'show', playerId], { folder })).player.sanctions[0].by.type

describe('svc players and svc appeals', () => {
  test('finds, shows and exports a player', async () => {
    const { id } = await newGuest('Ada Lovelace')
    const { players } = await setup.json(['players', 'find', 'Ada'], { folder })
    assert.deepEqual(
      players.map((player: { id: string }) => player.id),
      [id],
    )

    const found = await setup.svc(['players', 'find', 'Ada'], { folder })
    assert.match(found.out, new RegExp(`${id}  Ada Lovelace  \\(guest\\)`))
    const shown = await setup.svc(['players', 'show', id], { folder })
    assert.match(shown.out, /sign-in methods\s+guest/)

    const file = join(folder, 'ada.json')
    assert.equal((await setup.svc(['players', 'export', id, '-o', 'ada.json'], { folder })).code, 0)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.ok((await readFile(file, 'utf8')).includes(id))
    assert.equal(
      (await setup.svc(['players', 'export', id, '-o', 'ada.json'], { folder })).code,
      1,
      'never over a file',
    )
  })

  test('[BAN-17] bans and unbans; a ban with an end uses the session, SVC_KEY, or without both the key of .env', async () => {
    const { id } = await newGuest('Mallory')
    const banned = await setup.svc(['players', 'ban', id, '--reason', 'spam'], { folder })
    assert.match(
      banned.out,
      new RegExp(`◆ ${id} is banned until you lift the ban: 1 session ended, connections closed`),
    )
    assert.equal((await setup.json(['players', 'unban', id], { folder })).player.banned, false)

    const { player } = await setup.json(['players', 'ban', id, '--hours', '2'], { folder })
    assert.equal(hoursOf(player), 2)
    assert.equal(await setByOf(id), 'developer')
    assert.match((await setup.svc(['players', 'find', id], { folder })).out, /banned$/m)

    const secretKey = await keyOf('SECRET')
    const byKey = await setup.json(['players', 'ban', id, '--hours', '3'], {
      folder,
      variables: { SVC_KEY: secretKey },
    })
    assert.equal(hoursOf(byKey.player), 3)
    assert.equal(await setByOf(id), 'key')

    await setup.svc(['players', 'ban', id, '--hours', '4'], { folder })
    assert.equal(await setByOf(id), 'developer')

    const nobody = { folder, variables: { HOME: join(setup.root, 'nobody') } }
    assert.equal(hoursOf((await setup.json(['players', 'ban', id, '--hours', '5'], nobody)).player), 5)
    assert.equal(await setByOf(id), 'key')
  })

  test('[ERR-06] an error without a fix prints the URL of its documentation', async () => {
    const { id } = await newGuest('Una')
    const { err } = await setup.svc(['players', 'ban', id, '--hours', '9999'], { folder })
    assert.match(err, /→ http:\/\/[^/]+\/docs\/errors#invalid_request/)
  })

  test('[APL-01] lists appeals and resolves each once', async () => {
    const { id, refreshToken } = await newGuest('Eve')
    await setup.json(['players', 'ban', id], { folder })
    const body = { refreshToken, message: 'it was\u001b[31m not me' }
    await setup.call('POST', '/v1/auth/appeal', { key: publishable, body })

    const { out } = await setup.svc(['appeals'], { folder })
    assert.match(out, /Eve .* it was\[31m not me/, 'the service removes control characters')
    const { appeals } = await setup.json(['appeals', 'list', '--status', 'all'], { folder })
    const undecided = await setup.svc(['appeals', 'resolve', appeals[0].id], { folder })
    assert.equal(undecided.code, 2)
    const resolved = await setup.svc(['appeals', 'resolve', appeals[0].id, '--accept'], { folder })
    assert.match(resolved.out, /◆ Eve’s appeal accepted, ban lifted/)
    const again = await setup.svc(['appeals', 'resolve', appeals[0].id, '--reject', '--json'], { folder })
    assert.deepEqual([again.code, again.json.error.code], [4, 'appeal_already_resolved'])
  })

  for (const args of [
    ['players', 'show'],
    ['players', 'ban'],
    ['players', 'unban'],
    ['players', 'export'],
  ]) {
    test(`svc ${args.join(' ')} of an unknown player exits with 4`, async () => {
      const { code, json } = await setup.svc([...args, 'ply_nobody', '--json'], { folder })

      assert.deepEqual([code, json.error.code], [4, 'player_not_found'])
    })
  }

  test('an id that would change the path of the request is rejected before it is sent', async () => {
    assert.equal((await setup.svc(['players', 'show', '..'], { folder })).code, 2)
  })
})

describe('svc share', () => {
  /** With the user agent of a person's browser, because visits of programs are not counted. */
  async function visit(shareId: string, landed: boolean) {
    const response = await fetch(`${setup.url}/v1/share/visits`, {
      method: 'POST',
      headers: {
        'x-svc-key': publishable,
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
      body: JSON.stringify({ shareId, landed }),
    })
    return response.json()
  }

  test('[SHR-06] creates a tracked link and lists it before its first visit', async () => {
    const made = await setup.svc(['share', 'links', 'create', 'Newsletter May'], { folder })
    assert.match(made.out, /◆ share link shr_\w{12} for development:\n {2}\S+.*ks=shr_\w{12}/)
    const { out } = await setup.svc(['share', 'links'], { folder })
    assert.match(
      out,
      /ID +KIND +LABEL +VISITS +NEW PLAYERS +PLAYS\n {2}shr_\w{12} +tracked +Newsletter May +0 +0 +0/,
    )
  })

  test('[SHR-05] prints visits per link and per day, also as JSON', async () => {
    assert.match((await setup.svc(['share', 'stats'], { folder })).out, /Nobody came through a share link/)
    const { link, query } = await setup.json(['share', 'links', 'create', 'Forum'], { folder })
    assert.equal(query, `ks=${link.id}`)
    assert.deepEqual(await visit(link.id, true), { counted: true })
    await visit(link.id, false)

    const { links } = await setup.json(['share', 'links', '--limit', '1'], { folder })
    assert.deepEqual(links, [
      { shareId: link.id, label: 'Forum', kind: 'tracked', visits: 1, newPlayers: 0, plays: 1 },
    ])
    const { out } = await setup.svc(['share', 'stats', '--link', link.id], { folder })
    assert.match(out, /DAY +VISITS +NEW PLAYERS +PLAYS\n {2}\d{4}-\d\d-\d\d +1 +0 +1\n$/)
    const { totals } = await setup.json(['share', 'stats'], { folder })
    assert.deepEqual(totals, { visits: 1, newPlayers: 0, plays: 1 })
  })

  test('[SHR-05] a range that is too long and an unknown link exit with the error of the service', async () => {
    const long = await setup.svc(['share', 'stats', '--from', '2020-01-01', '--json'], { folder })
    assert.equal(long.json.error.code, 'range_too_long')
    assert.notEqual(long.code, 0)
    const unknown = await setup.svc(['share', 'stats', '--link', 'shr_000000000000', '--json'], { folder })
    assert.deepEqual([unknown.code, unknown.json.error.code], [4, 'share_link_not_found'])
  })
})

describe('svc mail', () => {
  test('lists development mails and prints one in full', async () => {
    const body = { email: 'grace@example.com', password: 'correct horse' }
    await setup.call('POST', '/v1/auth/email/signup', { key: publishable, body })

    await comesTrue('the mail is listed as captured', async () =>
      /grace@example\.com .*captured/.test((await setup.svc(['mail'], { folder })).out),
    )
    const { mails } = await setup.json(['mail', '--limit', '1'], { folder })
    assert.equal(mails.length, 1)
    const latest = await setup.svc(['mail', 'latest'], { folder })
    assert.match(latest.out, /to {7}grace@example\.com\n[\s\S]*http:\/\/localhost/)
    assert.equal((await setup.svc(['mail', 'eml_nothing'], { folder })).code, 1)
  })

  test('requires a secret key, and production has no stored mails', async () => {
    const elsewhere = await setup.svc(['mail'])
    assert.equal(elsewhere.code, 3)
    assert.match(elsewhere.err, /SVC_DEVELOPMENT_SECRET_KEY/)
    const production = await setup.svc(['mail', '--env', 'production', '--json'], { folder })
    assert.deepEqual([production.code, production.json.error.code], [2, 'wrong_use'])
  })
})

describe('svc keys', () => {
  test('creates a key that works, and revokes it', async () => {
    const { key, plaintext } = await setup.json(['keys', 'create', '--label', 'ci'], { folder })
    const variables = { SVC_KEY: plaintext }
    assert.equal((await setup.svc(['players', 'find'], { variables })).code, 0)
    assert.match(
      (await setup.svc(['keys', 'list'], { folder })).out,
      new RegExp(`${key.id}  secret +${key.last4} +ci`),
    )

    assert.equal((await setup.svc(['keys', 'revoke', key.id], { folder })).code, 2, 'asks')
    assert.equal((await setup.svc(['keys', 'revoke', key.id, '--yes'], { folder })).code, 0)
    assert.equal((await setup.svc(['players', 'find'], { variables })).code, 3)
    const again = await setup.svc(['keys', 'revoke', key.id, '--yes', '--json'], { folder })
    assert.deepEqual([again.code, again.json.error.code], [4, 'key_not_found'])
  })
})

describe('svc providers', () => {
  test('[OAU-18] stores credentials without ever showing the secret', async () => {
    await writeFile(join(folder, 'secret.txt'), 'very secret\n'.replace(' ', '-'))
    const args = [
      'providers',
      'set',
      'discord',
      '--client-id',
      'client-1',
      '--client-secret-file',
      'secret.txt',
    ]
    const { code, out, err } = await setup.svc([...args, '--env', 'prod'], { folder })
    assert.equal(code, 0, err)
    assert.match(out, /discord in production now uses client-1/)
    assert.match(
      out,
      /Redirect URI to register with the provider: http:\/\/localhost:\d+\/v1\/auth\/oauth\/discord\/callback/,
    )

    const listed = await setup.svc(['providers', '--env', 'prod'], { folder })
    assert.match(listed.out, /discord {3}client-1/)
    assert.doesNotMatch(listed.out, /very-secret/)
    assert.equal(
      (await setup.svc(['providers', 'remove', 'discord', '--env', 'prod', '--yes'], { folder })).code,
      0,
    )
  })

  test('the test provider is for development only', async () => {
    assert.match(
      (await setup.svc(['providers', 'test', 'x'], { folder })).out,
      /x in development now uses the test provider/,
    )
    const production = await setup.svc(['providers', 'test', 'x', '--env', 'production', '--json'], {
      folder,
    })
    assert.deepEqual([production.code, production.json.error.code], [4, 'invalid_request'])
    assert.equal((await setup.svc(['providers', 'test', 'myspace'], { folder })).code, 4)
  })

  test('asks for a secret only in a terminal, and reports a missing file', async () => {
    const asked = await setup.svc(['providers', 'set', 'google', '--client-id', 'x'], { folder })
    assert.equal(asked.code, 2)
    assert.match(asked.err, /--client-secret-file/)
    const args = ['providers', 'set', 'google', '--client-id', 'x', '--client-secret-file', 'nowhere']
    assert.equal((await setup.svc(args, { folder })).code, 1)
  })
})

describe('svc rooms watch', () => {
  test('[RWC-121] without a terminal it prints once and ends', async () => {
    for (const args of [['rooms'], ['rooms', 'watch']])
      assert.match((await setup.svc(args, { folder })).out, /^ {2}development {3}0 connections/)
    assert.deepEqual((await setup.json(['rooms'], { folder })).rooms, [])
  })

  test('[RWC-121] with --interval it prints connections and rooms at every change, until it is stopped', async () => {
    const player = await newGuest('Ada')
    const args = ['rooms', 'watch', '--interval', '0.1']
    const watching = launch(args, { folder, variables: setup.own })
    const lines = createInterface({ input: watching.stdout })[Symbol.asyncIterator]()
    const next = async () => String((await lines.next()).value)
    assert.match(await next(), /development {3}0 connections {3}0 rooms {3}0 channels/)

    const socket = await connect(setup, { publishableKey: publishable }, player)
    await socket.request({ t: 'create', mode: 'duel' })
    let line = ''
    while (!line.startsWith('  room ')) line = await next()
    assert.match(line, /room \w+ {2}duel {2}1\/2 {2}Ada/)

    const once_ = await setup.svc(['rooms', '--once'], { folder })
    assert.match(once_.out, /1 connection {3}1 room/)
    assert.equal((await setup.json(['rooms', 'watch', '--once'], { folder })).rooms.length, 1)
    const waiting = await connect(setup, { publishableKey: publishable }, await newGuest('Bo'))
    await waiting.request({ t: 'quickMatch', mode: 'duel', pool: 'eu' })
    assert.match((await setup.svc(['rooms', '--once'], { folder })).out, /queue duel {2}pool eu {2}1 waiting/)
    await waiting.close()
    watching.kill('SIGINT')
    const [code] = await once(watching, 'exit')
    assert.equal(code, 0)
    await socket.close()
  })
})

describe('svc play', () => {
  test('[RWC-72] prints the URL of the Playground with the players of this game', async () => {
    const nothing = await setup.svc(['play'], { folder })
    assert.deepEqual([nothing.code, /No version of the game is live/.test(nothing.err)], [1, true])
    assert.match(nothing.err, /→ Run: svc deploy, or name a page/)
    const local = await setup.json(['play', '4', '--page', 'http://localhost:5173/a?b=1'], { folder })
    assert.equal(
      local.url,
      `${setup.url}/dashboard/game/development/playground?players=4&page=http%3A%2F%2Flocalhost%3A5173%2Fa%3Fb%3D1`,
    )

    const { url } = await setup.json(['deploy', 'public'], { folder })
    assert.match(url, /game--dev/)
    const two = await setup.svc(['play'], { folder })
    assert.equal(
      two.out,
      `  ◇ 2 players: ${setup.url}/dashboard/game/development/playground?players=2\n`,
      two.err,
    )
    const four = await setup.json(['play', '4'], { folder: join(folder, 'public') })
    assert.equal(four.url, `${setup.url}/dashboard/game/development/playground?players=4`)
  })

  test('[RWC-72] what cannot be played names the fix', async () => {
    const withKey = { folder, variables: { SVC_KEY: await keyOf('SECRET') } }
    for (const [args, options, code, fix] of [
      [['play', '5'], { folder }, 2, /from 1 to 4.*\s+→ For example: svc play 4/],
      [['play', 'all'], { folder }, 2, /svc play 4/],
      [['play', '--env', 'production'], { folder }, 2, /without --env/],
      ...['https://example.com', 'localhost:5173', 'http://localhost.example.com', setup.url].map(
        (page) =>
          [['play', '--page', page], { folder }, 2, /→ Write it like http:\/\/localhost:5173/] as const,
      ),
      [['play', '--project', 'nothing'], { folder }, 2, /It has: game/],
      [['play'], { folder: setup.root }, 2, /Change to the project folder/],
      [['play'], withKey, 3, /svc login/],
    ] as const) {
      const ended = await setup.svc([...args], options)
      assert.deepEqual([ended.code, fix.test(ended.err)], [code, true], `${args.join(' ')}: ${ended.err}`)
    }
  })
})
