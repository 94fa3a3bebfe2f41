import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'

import { buildPackages } from '../../../scripts/build/packages.ts'
import { imageSize } from '../src/engines/cards/image-header.ts'
import { comesTrue } from '../src/testing/in-time.ts'
import { connect } from '../src/testing/sockets.ts'
import { startVoiceBots } from '../src/testing/voice-bots.ts'
import { callAsBot } from '../src/testing/voice.ts'
import { callerOf, type ServerProcess, startServer } from './server-process.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PACKAGES = ['sdk', 'cli', 'server'] as const
const run = promisify(execFile)

/** Packs the packages, and unpacks them where npm would install them. What they depend on is linked, which npm would download. */
async function install(folder: string) {
  const build = join(folder, 'build')
  await buildPackages(build)
  for (const name of PACKAGES) {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: join(build, name),
    })
    const home = join(folder, 'node_modules/@svc', name)
    await mkdir(home, { recursive: true })
    await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', home, '--strip-components=1'])
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      await readFile(join(home, 'package.json'), 'utf8'),
    )
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies }))
      if (!needed.startsWith('@svc/')) await symlinkTo(needed, folder)
  }
  // The relay server may read nothing but these, so links are not enough.
  for (const needed of ['node-datachannel', '@node-datachannel', 'detect-libc']) {
    const copy = join(folder, 'node_modules', needed)
    await rm(copy, { force: true })
    await cp(join(ROOT, 'node_modules', needed), copy, { recursive: true })
  }
  await rm(build, { recursive: true })
}

async function symlinkTo(needed: string, folder: string) {
  const link = join(folder, 'node_modules', needed)
  await mkdir(dirname(link), { recursive: true })
  // Both packages may need it; packages for other platforms are not there.
  await symlink(join(ROOT, 'node_modules', needed), link).catch(() => {})
}

describe('the packages in a folder without sources', () => {
  let folder: string
  let server: ServerProcess
  let game: string
  let slug = ''
  let publishableKey = ''
  const home = () => join(folder, 'node_modules/@svc')
  const origin = () => `http://127.0.0.1:${server.port}`

  /** The text of a page of an app, whose host this machine need not know. */
  async function visit(url: string): Promise<string> {
    const { host, pathname } = new URL(url)
    const sent = request(`${origin()}${pathname}`, { headers: { host } }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return text(answer)
  }

  /** A command of the installed CLI. */
  async function svc(...args: string[]) {
    const { stdout } = await run(process.execPath, [join(home(), 'cli/bin/svc.js'), ...args, '--json'], {
      cwd: game,
      env: { HOME: folder, SVC_URL: `http://localhost:${server.port}`, PATH: process.env['PATH'] },
    })
    return JSON.parse(stdout)
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc installed-'))
    game = folder
    await install(folder)
    server = await startServer(
      { SVC_DATA_DIR: join(folder, 'data'), SVC_BILLING: 'off' },
      join(home(), 'server/bin/svc-server.js'),
    )
  })
  after(async () => {
    server?.signal('SIGTERM')
    const { code, errors } = (await server?.ended) ?? {}
    await rm(folder, { recursive: true, force: true })
    assert.equal(code, 0, errors)
  })

  test('a game is created and deployed, and loads the SDK', async () => {
    ;({
      project: { slug },
    } = await svc('new', 'game', '--no-install'))
    game = join(folder, 'game')
    const { url } = await svc('deploy', 'public')
    assert.match(await visit(url), /<html/)
    assert.match(await visit(new URL('/.svc/sdk.js', url).href), /export\{/)
    assert.match(await visit(new URL('/.svc/sdk.d.ts', url).href), /connect/)
    ;({ key: publishableKey } = JSON.parse(await visit(new URL('/.svc/init.json', url).href)))
  })

  test('pages of the docs and the dashboard are there', async () => {
    for (const path of ['/docs', '/docs/api', '/dashboard/', '/openapi.json'])
      assert.equal((await fetch(`${origin()}${path}`)).status, 200, path)
  })

  test('a function answers', async () => {
    await writeFile(join(game, 'hello.js'), `export default { fetch: () => new Response('hello') }`)
    const { url } = await svc('functions', 'deploy', 'hello.js')
    assert.equal(await visit(url), 'hello')
  })

  test('a card is drawn', async () => {
    await svc('enable', 'share.images', '--yes')
    const answer = await fetch(`${origin()}/v1/share/images/${slug}--dev/card.png`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.deepEqual(imageSize(bytes), { width: 1200, height: 600 }, bytes.toString('utf8', 0, 300))
  })

  test('two players talk in a call', async (t) => {
    await svc('enable', 'realtimeChannels', 'voice', '--yes')
    const bots = startVoiceBots()
    t.after(() => bots.stop())
    const join = async () => {
      const { body } = await callerOf(server)('POST', '/v1/auth/guest', { key: publishableKey, body: {} })
      return connect(server, { publishableKey }, body)
    }
    const [ada, bob] = [await join(), await join()]
    t.after(() => Promise.all([ada.close(), bob.close()]))
    await ada.request({ t: 'channelCreate', channel: '@call', maxMembers: 8, voice: { mode: 'sfu' } })
    await bob.request({ t: 'channelJoin', channel: '@call' })
    const speaker = await callAsBot(bots, ada, '@call')
    const listener = await callAsBot(bots, bob, '@call')
    await speaker.talk()
    await comesTrue('the call is heard', async () => (await listener.heard()) > 10)
  })

  test('a backup is written', async () => {
    const file = join(folder, 'backup.tar')
    await run(process.execPath, [join(home(), 'server/bin/svc-server.js'), 'backup', file], {
      env: { SVC_DATA_DIR: join(folder, 'data') },
    })
    assert.ok((await readFile(file)).length > 10_000)
  })
})
