import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test, type TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'

import { type Browser, startBrowser } from '../../server/src/testing/browser.ts'
import { VERSION } from '../../server/src/version.ts'
import { launch } from './cli.ts'
import { openShell, type Shell } from './shell.ts'
import { startSocksProxy, type SocksProxy } from './socks-proxy.ts'
import { type Game, HAS_RESULT, IS_PLAYING, IS_READY, openGame } from './star-duel.ts'

/** The newcomer's first ten minutes, from an empty data folder: what is typed, what is said, and what two players see. */
let shell: Shell
let browser: Browser
let proxy: SocksProxy
let folder: string
let address: string
let ada: Game
let bob: Game
const transcript: string[] = []

before(async () => {
  shell = await openShell()
  folder = join(shell.root, 'star-duel')
  address = `http://star-duel--dev.localhost:${shell.port}`
  proxy = await startSocksProxy()
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await proxy?.stop()
  await shell?.close()
})

/** Every line that is said, each as it must be, and no other. */
function assertSaid(lines: readonly string[], expected: readonly (string | RegExp)[]) {
  transcript.push(...lines)
  assert.equal(lines.length, expected.length, lines.join('\n'))
  for (const [index, one] of expected.entries()) {
    const line = lines[index] ?? ''
    if (typeof one === 'string') assert.equal(line, one)
    else assert.match(line, one)
  }
}

/** In the folder of the game, without a terminal: what it must say, and that it ends well. */
async function types(line: string, expected: readonly (string | RegExp)[]) {
  const { code, lines, problems } = await shell.type(line, folder)
  assert.deepEqual([code, problems], [0, []])
  assertSaid(lines, expected)
}

async function json(line: string) {
  const { code, lines, problems } = await shell.type(`${line} --json`, folder)
  assert.equal(code, 0, problems.join('\n'))
  return JSON.parse(lines.join('\n'))
}

test('minute 0: npm start prints all addresses', async () => {
  assertSaid(shell.banner, [
    /^> svc@\S+ start$/,
    '> exec node packages/server/bin/svc-server.js',
    /^ {2}svc \d+\.\d+\.\d+ {2}ready in \d+\.\d s$/,
    /^ {2}Dashboard {2}http:\/\/localhost:\d+\/dashboard#setup=[\w-]{43} \(one-time link: /,
    `  API        http://localhost:${shell.port}/v1`,
    `  Docs       http://localhost:${shell.port}/docs`,
    `  Database   SQLite in ${shell.root}/data`,
    /^ {2}Mail {7}not sent; read it with: svc mail$/,
    /^ {2}Functions {2}\S/,
  ])
  assert.equal((await fetch(`http://localhost:${shell.port}/docs`)).status, 200)
})

test('minute 2: one command installs svc from the service', async () => {
  const install = `npm install -g http://localhost:${shell.port}/packages/svc-cli.tgz`
  const { code, problems } = await shell.type(install, shell.root)
  assert.equal(code, 0, problems.join('\n'))
  const { lines } = await shell.type('svc --version', shell.root)
  assert.deepEqual(lines, [`${VERSION} (${shell.root}/global/lib/node_modules/@svc/cli)`])
})

test('minute 3: svc new creates the account, the project and a folder that runs', async () => {
  const line = `svc new star-duel --template duel --url http://localhost:${shell.port}`
  const { code, lines, problems } = await shell.type(line, shell.root)

  assert.deepEqual([code, problems], [0, []])
  assertSaid(lines, [
    /^ {2}◇ created the account developer@localhost on the local service; its password is stored in .*\/credentials\.json$/,
    /^ {2}◆ project "Star Duel" {2}slug star-duel {2}keys written to .*star-duel\/\.env \(secret keys are shown only once\)$/,
    '  ◇ google: development uses the built-in test provider (change it with svc providers)',
    '  ◇ running npm install',
    '  Next: cd star-duel && svc deploy public',
  ])
  const { features, stats, multiplayer, auth } = JSON.parse(
    await readFile(join(folder, 'svc.config.json'), 'utf8'),
  )
  assert.deepEqual(features, { saves: true, stats: true, multiplayer: true, hosting: true, emailLogin: true })
  assert.deepEqual(stats, [
    { key: 'points', aggregation: 'max', maxPerSubmit: 500, leaderboard: { periods: ['daily'] } },
  ])
  const duel = { key: 'duel', minPlayers: 2, maxPlayers: 2, fillTimeoutSeconds: 0 }
  assert.deepEqual(multiplayer, { modes: [duel] })
  assert.deepEqual(auth, { providers: { google: { enabled: true } } })
})

test('minute 6: svc deploy pushes the config, uploads the game and makes it live', async () => {
  await types('svc --version', [`${VERSION} (${folder}/node_modules/@svc/cli)`])
  await types('svc deploy public', [
    '  ◇ config: emailLogin, saves, stats, multiplayer, hosting, google, share turned on (config v1)',
    '  ◇ google: test provider in development (add real credentials before production)',
    /^ {2}━{20} uploaded 1\/1 files, \d+\.\d KB$/,
    `  ◆ v1 is live   ${address}`,
  ])
})

test('minute 7: two browsers find each other and play a round to the end', async () => {
  ada = await openGame(await browser.newPage({ dark: true, proxy: proxy.proxy }), address, 10)
  bob = await openGame(await browser.newPage({ width: 1_280, height: 800 }), address, 10)
  await ada.findRival()
  await ada.untilStatus('Waiting for a rival')
  await bob.findRival()
  for (const game of [ada, bob]) await game.until(IS_PLAYING)
  await ada.catchStars(2)
  await bob.catchStars(1)

  for (const game of [ada, bob]) await game.until(HAS_RESULT)
  assert.equal(await ada.text('status'), 'You win!\n2 : 1')
  assert.equal(await bob.text('status'), 'Your rival wins.\n1 : 2')
  assert.match(await ada.text('who'), /^Guest-\w{4}, best 2$/)
})

test('minute 8: a reload, a lost network and a sign-in keep seat, score and save', async (t) => {
  const live = watchRooms(t)
  const ids = [await ada.playerId(), await bob.playerId()]
  // Long enough for everything below; the last reload asks for less.
  for (const game of [ada, bob]) {
    await game.load(600)
    await game.until(IS_READY)
  }
  await live.until(({ rooms }) => rooms.length === 0)
  for (const game of [ada, bob]) await game.findRival()
  for (const game of [ada, bob]) await game.until(IS_PLAYING)
  await ada.catchStars(3)
  await bob.catchStars(1)
  const first = await live.until(
    ({ rooms: [room] }) => room?.mode === 'duel' && areConnected(room, [true, true]),
  )

  await ada.load(600)
  await ada.until(IS_PLAYING)
  await ada.untilScores(3, 1)
  assert.match(await ada.text('who'), /best 2$/)

  proxy.disconnect()
  await ada.untilStatus('Connection lost. Reconnecting')
  await bob.untilStatus('Your rival lost the connection')
  await live.until(({ rooms: [room] }) => areConnected(room, [false, true]))
  await ada.catchStars(1)
  await bob.catchStars(1)
  proxy.reconnect()
  for (const game of [ada, bob]) await game.until(`document.getElementById('status').textContent === ''`)
  await ada.untilScores(4, 2)
  await bob.untilScores(2, 4)
  const again = await live.until(({ rooms: [room] }) => areConnected(room, [true, true]))
  assert.deepEqual(
    [again.rooms.length, again.rooms[0]?.code],
    [1, first.rooms[0]?.code],
    'it is the same room',
  )

  await bob.signIn()
  await bob.catchStars(1)
  await ada.untilScores(4, 3)

  for (const game of [ada, bob]) await game.load(1)
  for (const game of [ada, bob]) await game.until(HAS_RESULT)
  assert.equal(await ada.text('status'), 'You win!\n4 : 3')
  assert.equal(await bob.text('status'), 'Your rival wins.\n3 : 4')
  assert.match(await ada.text('who'), /best 4$/)
  assert.match(await bob.text('who'), /best 3$/)
  for (const game of [ada, bob]) {
    await game.load(1)
    await game.until(IS_READY)
  }
  await live.until(({ rooms }) => rooms.length === 0)

  assert.deepEqual([await ada.playerId(), await bob.playerId()], ids, 'nobody became somebody else')
  const shown = await Promise.all(ids.map((id) => json(`svc players show ${id}`)))
  assert.deepEqual(
    shown.map(({ player: { isGuest, stats, saves } }) => [isGuest, stats, saves[0].key]),
    [
      [true, { points: 4 }, 'best'],
      [false, { points: 3 }, 'best'],
    ],
  )
})

test('minute 9: a second deploy, and a rollback to the first', async () => {
  const page = join(folder, 'public/index.html')
  await writeFile(page, (await readFile(page, 'utf8')).replaceAll('Catch more stars', 'Catch faster stars'))
  await types('svc deploy public -m "faster stars" && svc rollback', [
    '  ◇ google: test provider in development (add real credentials before production)',
    /^ {2}━{20} uploaded 1\/1 files, \d+\.\d KB$/,
    `  ◆ v2 is live (1 changed file)   ${address}`,
    `  ◆ v1 is live again (was v2)   ${address}`,
  ])
  await bob.load()
  await bob.untilStatus('Catch more stars')
})

const PROMOTION = [
  '  development v1 → production',
  '  files: 1 difference',
  '    + index.html',
  '  config: 7 differences',
  ...Array.from({ length: 7 }, () => /^ {4}\+ (\$schema|version|features|stats|multiplayer|auth|share): /),
  '  ✖ google has no credentials in production: sign-in will fail with provider_not_configured',
  '  → svc providers set google --env production',
]

test('minute 10: a promotion prints what is missing and asks; No does not change production', async () => {
  const question = /Promote anyway\?[^]*Yes \/ ● No/
  const line = 'svc promote --to production'
  const asked = await shell.type(line, folder, { question, key: '\r' })
  assert.equal(asked.code, 130)
  assertSaid(asked.lines.slice(0, PROMOTION.length), PROMOTION)
  assert.match(asked.lines.at(-1) ?? '', /✖ Nothing was changed\.$/)

  const unasked = await shell.type(line, folder)
  assert.equal(unasked.code, 2)
  assertSaid(unasked.lines, PROMOTION)
  assertSaid(unasked.problems, ['  ✖ Cannot ask "Promote anyway?" without a terminal.', '  → Use --yes'])
  const { problems } = await shell.type('npm run svc -- deploys --env production', folder)
  assert.match(
    problems.join('\n'),
    /Turn it on: npm run svc -- enable hosting/,
    'production has no config, let alone the game',
  )
})

test('no output mentions a part that does not exist yet', () => {
  assert.doesNotMatch(transcript.join('\n'), /mailbox|checkout|card/i)
})

type LiveRoom = { code: string; mode: string; players: { connected: boolean }[] }
type LiveView = { rooms: LiveRoom[] }

/** Who sits there, longest first: whether they are connected. */
const areConnected = (room: LiveRoom | undefined, expected: boolean[]) =>
  isDeepStrictEqual(
    room?.players.map(({ connected }) => connected),
    expected,
  )

/** `svc rooms watch`, which prints a line whenever something has changed. */
function watchRooms(t: TestContext) {
  const variables = { HOME: join(shell.root, 'home') }
  const child = launch(['rooms', 'watch', '--json', '--interval', '1'], { folder, variables })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill()
    await ended
  })
  const lines = createInterface({ input: child.stdout })
  let last: LiveView | undefined
  lines.on('line', (line) => (last = JSON.parse(line)))
  return {
    async until(holds: (view: LiveView) => boolean): Promise<LiveView> {
      while (!last || !holds(last)) await once(lines, 'line', { signal: AbortSignal.timeout(30_000) })
      return last
    },
  }
}
