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

import { currentPackages } from '../../../scripts/build/current-packages.js'
import { buildPackages } from '../../../scripts/build/packages.ts'
import { buildServer } from '../../../scripts/build/server.ts'
import { pack } from '../../../scripts/build/tarballs.ts'
import { NPM_VARIABLES } from '../../cli/test/npm-variables.ts'
import { imageSize } from '../src/engines/cards/image-header.ts'
import { comesTrue } from '../src/testing/in-time.ts'
import { runs } from '../src/testing/runs.ts'
import { connect } from '../src/testing/sockets.ts'
import { startVoiceBots } from '../src/testing/voice-bots.ts'
import { callAsBot } from '../src/testing/voice.ts'
import { callerOf, type ServerProcess, startServer } from './server-process.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PACKAGES = ['sdk', 'cli', 'server'] as const
const run = promisify(execFile)

/**
 * Installs the tarballs in an empty folder. The short form takes those of the CLI and the SDK that the test runner has packed, unpacks
 * all where npm would, and links what they depend on: npm takes 11 s of CPU time for its 420 MB.
 */
async function install(folder: string) {
  const build = join(folder, 'build')
  const tarballs = await runs(packServer, packAll)(build, folder)
  await rm(build, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  await runs(unpack, npmInstall)(folder, tarballs)
}

async function packAll(build: string, folder: string): Promise<string[]> {
  await buildPackages(build)
  const tarballs: string[] = []
  for (const name of PACKAGES) tarballs.push(join(folder, await pack(join(build, name), folder)))
  return tarballs
}

async function packServer(build: string, folder: string): Promise<string[]> {
  const forGames = await currentPackages()
  const { packages } = JSON.parse(await readFile(join(forGames, 'index.json'), 'utf8')) as {
    packages: { name: string; file: string }[]
  }
  const tarballOf = (name: string) => {
    const { file } =
      packages.find((one) => one.name === `@svc/${name}`) ?? assert.fail(`no tarball of ${name}`)
    return join(forGames, file)
  }
  const server = join(build, 'server')
  await buildServer(server, { isForPackage: true })
  await cp(forGames, join(server, 'dist/packages'), { recursive: true })
  return [tarballOf('sdk'), tarballOf('cli'), join(folder, await pack(server, folder))]
}

async function npmInstall(folder: string, tarballs: readonly string[]) {
  const env = { HOME: folder, PATH: process.env['PATH'], ...NPM_VARIABLES }
  await run('npm', ['install', '--no-audit', '--no-fund', ...tarballs], { cwd: folder, env })
}

async function unpack(folder: string, tarballs: readonly string[]) {
  for (const [at, tarball] of tarballs.entries()) {
    const home = join(folder, 'node_modules/@svc', PACKAGES[at] ?? '')
    await mkdir(home, { recursive: true })
    await run('tar', ['-xzf', tarball, '-C', home, '--strip-components=1'])
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      await readFile(join(home, 'package.json'), 'utf8'),
    )
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies }))
      await symlinkTo(needed, folder)
  }
  // The relay server may read nothing but these, so links are not enough.
  for (const needed of ['node-datachannel', '@node-datachannel', 'detect-libc']) {
    const copy = join(folder, 'node_modules', needed)
    await rm(copy, { force: true })
    await cp(join(ROOT, 'node_modules', needed), copy, { recursive: true })
  }
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
  let url = ''
  let functionUrl = ''
  const home = () => join(folder, 'node_modules/@svc')
  const origin = () => `http://127.0.0.1:${server.port}`

  /** The text of a page of an app, whose host this machine need not know. */
  async function visit(url: string): Promise<string> {
    const { host, pathname } = new URL(url)
    const sent = request(`${origin()}${pathname}`, { headers: { host } }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return text(answer)
  }

  /** A command of the CLI that is installed in the folder where it is typed. */
  async function svc(...args: string[]) {
    const program = join(game, 'node_modules/@svc/cli/bin/svc.js')
    const variables = { HOME: folder, SVC_URL: `http://localhost:${server.port}`, PATH: process.env['PATH'] }
    const { stdout } = await run(process.execPath, [program, ...args, '--json'], {
      cwd: game,
      env: { ...variables, ...NPM_VARIABLES },
    })
    return JSON.parse(stdout)
  }

  /** A command of the operator. */
  const operator = (data: string, ...args: string[]) =>
    run(process.execPath, [join(home(), 'server/bin/svc-server.js'), ...args], {
      env: { SVC_DATA_DIR: join(folder, data) },
    })

  const start = (data: string, port?: number) =>
    startServer(
      {
        SVC_DATA_DIR: join(folder, data),
        SVC_BILLING: 'off',
        ...(port !== undefined && { PORT: String(port) }),
      },
      join(home(), 'server/bin/svc-server.js'),
    )

  async function stop() {
    server.signal('SIGTERM')
    const { code, errors } = await server.ended
    assert.equal(code, 0, errors)
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc installed-'))
    game = folder
    await install(folder)
    server = await start('data')
  })
  after(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('[OPS-04] a game is created with the packages of the service, is deployed, and loads the SDK', async () => {
    const { project, installed } = await svc('new', 'game')
    ;({ slug } = project)
    assert.equal(installed, true)
    game = join(folder, 'game')
    ;({ url } = await svc('deploy', 'public'))
    assert.match(await visit(url), /<html/)
    assert.match(await visit(new URL('/.svc/sdk.js', url).href), /export\{/)
    assert.match(await visit(new URL('/.svc/sdk.d.ts', url).href), /connect/)
    ;({ key: publishableKey } = JSON.parse(await visit(new URL('/.svc/init.json', url).href)))
  })

  test('[OPS-04] pages of the docs and the dashboard are there', async () => {
    for (const path of ['/docs', '/docs/api', '/dashboard/', '/openapi.json'])
      assert.equal((await fetch(`${origin()}${path}`)).status, 200, path)
  })

  test('[OPS-04] svc start without the service names the command that installs it', async () => {
    await assert.rejects(svc('start'), ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      assert.equal(JSON.parse(stdout).error.code, 'server_not_installed')
      assert.match(
        stderr,
        /^ {2}✖ The service is not installed.*\n {2}→ .*npm install svc-server-[\d.]+\.tgz\n$/,
      )
      return true
    })
  })

  test('[OPS-04] a function answers', async () => {
    await writeFile(join(game, 'hello.js'), `export default { fetch: () => new Response('hello') }`)
    ;({ url: functionUrl } = await svc('functions', 'deploy', 'hello.js'))
    assert.equal(await visit(functionUrl), 'hello')
  })

  test('[OPS-04] a card is drawn', async () => {
    await svc('enable', 'share.images', '--yes')
    const answer = await fetch(`${origin()}/v1/share/images/${slug}--dev/card.png`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.deepEqual(imageSize(bytes), { width: 1200, height: 600 }, bytes.toString('utf8', 0, 300))
  })

  test('[OPS-04] two players talk in a call', async (t) => {
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

  test('[OPS-04] a backup is restored into a new folder, and the service starts there with all data', async () => {
    const call = (...args: Parameters<ReturnType<typeof callerOf>>) => callerOf(server)(...args)
    const { body: player } = await call('POST', '/v1/auth/guest', { key: publishableKey, body: {} })
    const caller = { key: publishableKey, token: player.accessToken }
    const written = await call('PUT', '/v1/saves/slot1', { ...caller, body: { data: { gold: 5 } } })
    assert.equal(written.status, 200)
    const file = join(folder, 'backup.tar')
    await operator('data', 'backup', file)
    await stop()

    await operator('restored', 'restore', file)
    // An archive that is not sealed does not contain it.
    await cp(join(folder, 'data/secret.key'), join(folder, 'restored/secret.key'))
    // Tokens name the address of the service.
    server = await start('restored', server.port)
    const read = await call('GET', '/v1/saves/slot1', caller)
    assert.deepEqual(read.body.data, { gold: 5 }, JSON.stringify(read))
    assert.match(await visit(url), /<html/)
    assert.equal(await visit(functionUrl), 'hello')
  })
})
