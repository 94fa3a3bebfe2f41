import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parseEnv } from 'node:util'

import { build } from 'esbuild'

import { VERSION } from '../../server/src/version.ts'
import { bundlerOf } from '../src/project/bundlers.ts'
import { type TestSetup, startTestSetup } from './cli.ts'

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
})
after(() => setup.stop())

/** A folder of an app, with these files in it. */
async function app(name: string, files: Record<string, string>) {
  const folder = join(setup.root, name)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const read = (path: string) => readFile(join(folder, path), 'utf8')
  return { folder, read, env: async (path = '.env.local') => parseEnv(await read(path)) }
}

const manifest = (...dependencies: string[]) =>
  JSON.stringify({
    name: 'app',
    scripts: { dev: 'bundler' },
    devDependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])),
  })
const NOT_INSTALLED = ['--yes', '--no-install']

describe('svc init', () => {
  test('in a Vite folder: a project, keys, config, dependencies and the code to add', async () => {
    const { folder, read, env } = await app('vite app', {
      'package.json': manifest('vite'),
      'src/main.ts': '',
      '.gitignore': 'dist\n*.local',
    })
    const { code, out, err } = await setup.svc(['init', ...NOT_INSTALLED], { folder })
    assert.equal(code, 0, err)
    assert.match(out, /◆ created project "Vite App" {2}slug vite-app {2}keys written to \.env\.local/)
    assert.match(out, /Deploy: npm run build && svc deploy dist\n/)

    const keys = await env()
    assert.match(keys['VITE_SVC_DEVELOPMENT_PUBLISHABLE_KEY'] ?? '', /^pk_dev_/)
    assert.equal(keys['VITE_SVC_URL'], setup.url)
    assert.match(keys['SVC_DEVELOPMENT_SECRET_KEY'] ?? '', /^sk_dev_/)
    assert.deepEqual(
      Object.entries(keys).filter(
        ([name, value = '']) => name.startsWith('VITE_') && value.startsWith('sk_'),
      ),
      [],
      'no secret key reaches the page',
    )
    assert.equal((await stat(join(folder, '.env.local'))).mode & 0o777, 0o600)
    assert.equal(
      await read('.gitignore'),
      'dist\n*.local\nnode_modules/\nfunctions.map.json\n',
      'what is ignored is not repeated',
    )

    const { $schema, features } = JSON.parse(await read('svc.config.json'))
    assert.deepEqual([$schema, features.hosting], ['./node_modules/@svc/cli/svc.config.schema.json', true])
    const { name, scripts, dependencies, devDependencies } = JSON.parse(await read('package.json'))
    assert.deepEqual([name, scripts], ['app', { dev: 'bundler', svc: 'svc' }])
    assert.equal(dependencies['@svc/sdk'], `file:.svc/svc-sdk-${VERSION}.tgz`)
    assert.equal(devDependencies['@svc/cli'], `file:.svc/svc-cli-${VERSION}.tgz`)
    assert.equal(devDependencies['vite'], '*')

    // Every command works from here on, with the project and the keys of the folder.
    await writeFile(join(folder, 'index.html'), '<!doctype html>')
    assert.equal((await setup.json(['deploy', '.'], { folder })).version, 1)
    assert.deepEqual((await setup.json(['players', 'find'], { folder })).players, [])
  })

  test('the printed code for Vite is the same as in the guide, and can be bundled', async () => {
    const { folder } = await app('bundled', { 'package.json': manifest(), 'vite.config.js': '' })
    const { code: lines } = await setup.json(['init', '--yes'], { folder })
    const guide = await readFile(join(import.meta.dirname, '../../../docs/guide/first-steps.md'), 'utf8')
    assert.ok(guide.includes(lines.join('\n')))

    await writeFile(join(folder, 'main.ts'), lines.join('\n'))
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'main.ts')],
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir: join(folder, 'dist'),
      write: false,
      define: { 'import.meta.env.DEV': 'false', 'import.meta.env': '{}' },
      logLevel: 'silent',
    })
    assert.ok(outputFiles.some(({ text }) => text.includes('/.svc/init.json')))
    assert.equal(
      spawnSync('npm', ['run', '--silent', 'svc', '--', 'whoami'], { cwd: folder, env: setup.own }).status,
      0,
    )
  })

  test('in a Next.js folder the prefix is that of Next.js', async () => {
    const { folder, env } = await app('next-app', { 'package.json': manifest('next', 'react') })
    const { bundler, code } = await setup.json(['init', '--name', 'Next One', '--no-install'], { folder })
    assert.equal(bundler, 'next')
    assert.match(
      code.join('\n'),
      /^'use client'[^]*process\.env\.NEXT_PUBLIC_SVC_DEVELOPMENT_PUBLISHABLE_KEY/,
    )
    assert.match((await env())['NEXT_PUBLIC_SVC_DEVELOPMENT_PUBLISHABLE_KEY'] ?? '', /^pk_dev_/)
  })

  test('a plain folder gets a package.json with the CLI and the SDK, which its server code can use', async () => {
    const { folder, read } = await app('plain', { 'index.html': '<!doctype html>' })
    const { code, out } = await setup.svc(['init', ...NOT_INSTALLED], { folder })
    assert.equal(code, 0)
    assert.match(out, /import \{ connect \} from '\/\.svc\/sdk\.js'/)
    assert.match(out, /Deploy: svc deploy \.\n/)
    const made = JSON.parse(await read('package.json'))
    assert.deepEqual([made.private, made.scripts], [true, { svc: 'svc' }])
    assert.deepEqual(Object.keys({ ...made.dependencies, ...made.devDependencies }), ['@svc/sdk', '@svc/cli'])
    assert.equal(await read('.gitignore'), 'node_modules/\n.env.local\n.env\nfunctions.map.json\n')
    const { files, leftOut } = await setup.json(['deploy', '.'], { folder })
    const names = ['.env.local', '.gitignore', '.svc', 'package.json', 'svc.config.json']
    assert.deepEqual([files, leftOut], [1, names], 'what belongs to the project is not published')
  })

  test('existing files are not overwritten', async () => {
    const config = '{ "features": { "saves": true } }'
    const { folder, read, env } = await app('full', {
      'package.json': JSON.stringify(
        { scripts: { svc: 'my own' }, devDependencies: { vite: '*' } },
        null,
        '\t',
      ),
      'svc.config.json': config,
      '.env': 'SVC_URL=http://elsewhere.example\n',
      '.env.local': 'OTHER=1\nVITE_SVC_URL=http://old.example',
      '.gitignore': 'node_modules\n.env*\nfunctions.map.json\n*.tgz\n',
    })
    const { code, out, err } = await setup.svc(['init', ...NOT_INSTALLED], { folder })
    assert.equal(code, 0, err)
    assert.equal(await read('svc.config.json'), config)
    assert.match(out, /svc\.config\.json was not changed.*add: "\$schema": "\.\/node_modules\/@svc\/cli/)
    assert.match(out, /! package\.json has another value, which was kept\. svc needs: scripts: "svc": "svc"/)
    assert.match(await read('package.json'), /^\{\n\t"scripts": \{\n\t\t"svc": "my own"\n\t\}/)
    assert.equal(await read('.env'), 'SVC_URL=http://elsewhere.example\n')
    assert.equal(
      await read('.gitignore'),
      'node_modules\n.env*\nfunctions.map.json\n*.tgz\n!.svc/*.tgz\n',
      'the packages of svc are committed',
    )
    assert.match(
      await read('.env.local'),
      /^OTHER=1\n# replaced by svc: VITE_SVC_URL=http:\/\/old\.example\n\n/,
    )
    const keys = await env()
    assert.deepEqual([keys['OTHER'], keys['VITE_SVC_URL']], ['1', setup.url])
  })

  test('--project links an existing project, with new keys and the config that it has', async () => {
    await setup.json(['new', 'original', '--no-install'])
    await setup.json(['config', 'push'], { folder: join(setup.root, 'original') })
    const { folder, read, env } = await app('second-page', { 'package.json': manifest('vite') })
    const { project } = await setup.json(['init', '--project', 'original', '--no-install'], { folder })
    assert.equal(project.slug, 'original')
    assert.equal(JSON.parse(await read('svc.config.json')).features.multiplayer, true)
    assert.deepEqual(Object.keys(await env()).toSorted(), [
      'SVC_DEVELOPMENT_PUBLISHABLE_KEY',
      'SVC_DEVELOPMENT_SECRET_KEY',
      'SVC_PROJECT',
      'SVC_URL',
      'VITE_SVC_DEVELOPMENT_PUBLISHABLE_KEY',
      'VITE_SVC_URL',
    ])
    assert.equal((await setup.json(['keys', 'list'], { folder })).keys.length, 4)
  })

  test('without a terminal it prints the options; a linked folder and the svc folder are rejected', async () => {
    const { folder } = await app('asked', { 'package.json': manifest('vite') })
    const asked = await setup.svc(['init'], { folder })
    assert.equal(asked.code, 2)
    assert.match(asked.err, /→ Use --yes \(a new project\), --name or --project/)
    await assert.rejects(stat(join(folder, '.env.local')), 'and nothing was written')

    await setup.json(['init', ...NOT_INSTALLED], { folder })
    const again = await setup.svc(['init', ...NOT_INSTALLED], { folder })
    assert.deepEqual([again.code, /run: svc link/.test(again.err)], [1, true])
    const inClone = { folder: join(import.meta.dirname, '../../..') }
    const own = await setup.svc(['init', ...NOT_INSTALLED], inClone)
    assert.deepEqual([own.code, /→ Run it in your app’s folder\./.test(own.err)], [1, true])
    const variables = { npm_lifecycle_event: 'svc' }
    const byNpm = await setup.svc(['init', ...NOT_INSTALLED], { ...inClone, variables })
    assert.deepEqual([byNpm.code, /npm --prefix .* run svc -- init/.test(byNpm.err)], [1, true])
  })

  test('bundlers are recognized by a dependency or by their config file', async () => {
    const table: [files: Record<string, string>, name: string, deploy: RegExp][] = [
      [{ 'vite.config.ts': '' }, 'vite', /deploy dist/],
      [{ 'next.config.mjs': '' }, 'next', /deploy out/],
      [{ 'index.html': '' }, 'plain', /deploy \.$/],
      [{ 'index.html': '', 'public/index.html': '' }, 'plain', /deploy public$/],
      [{ 'vite.config.json': '' }, 'plain', /deploy public$/],
    ]
    for (const [index, [files, name, deploy]] of table.entries()) {
      const { folder } = await app(`known-${index}`, files)
      const bundler = bundlerOf(folder)
      assert.deepEqual([bundler.name, deploy.test(bundler.deploy)], [name, true])
    }
  })
})

describe('svc link', () => {
  test('a teammate with a clone gets new keys; with valid keys nothing changes', async () => {
    const folder = join(setup.root, 'shared')
    await setup.json(['new', 'shared', '--no-install'])
    const before = await readFile(join(folder, '.env'), 'utf8')
    const kept = await setup.json(['link'], { folder })
    assert.deepEqual([kept.newKeys, await readFile(join(folder, '.env'), 'utf8')], [[], before])

    await rm(join(folder, '.env'))
    const { newKeys, created } = await setup.json(['link'], { folder })
    assert.deepEqual(
      [newKeys, created],
      [['SVC_DEVELOPMENT_PUBLISHABLE_KEY', 'SVC_DEVELOPMENT_SECRET_KEY'], false],
    )
    assert.deepEqual((await setup.json(['players', 'find'], { folder })).players, [])
    assert.equal((await stat(join(folder, '.env'))).mode & 0o777, 0o600)
  })

  test('a revoked key is replaced, and stays in the file as a comment', async () => {
    const folder = join(setup.root, 'shared')
    const { keys } = await setup.json(['keys', 'list'], { folder })
    const env = await readFile(join(folder, '.env'), 'utf8')
    const [, secret = ''] = /^SVC_DEVELOPMENT_SECRET_KEY=(.*)$/m.exec(env) ?? []
    const { id } = keys.find(
      (key: { type: string; last4: string }) => key.type === 'secret' && secret.endsWith(key.last4),
    )
    await setup.json(['keys', 'revoke', id, '--yes'], { folder })

    assert.deepEqual((await setup.json(['link'], { folder })).newKeys, ['SVC_DEVELOPMENT_SECRET_KEY'])
    assert.match(
      await readFile(join(folder, '.env'), 'utf8'),
      new RegExp(`^# replaced by svc: .*${secret}$`, 'm'),
    )
    assert.equal((await setup.svc(['doctor'], { folder })).code, 0)
  })

  test('a folder without a project is linked to the given one', async () => {
    const { folder, env } = await app('loose', { 'index.html': '' })
    assert.equal((await setup.svc(['link'], { folder })).code, 2, 'which one is asked in a terminal only')
    const { project } = await setup.json(['link', '--project', 'shared'], { folder })
    assert.equal((await env('.env'))['SVC_PROJECT'], project.id)
    const unknown = await setup.svc(['link', '--project', 'nowhere'], { folder })
    assert.deepEqual([unknown.code, /It has: .*shared/.test(unknown.err)], [2, true])
  })

  test('svc projects lists all projects and marks the one of this folder', async () => {
    const { out } = await setup.svc(['projects'], { folder: join(setup.root, 'shared') })
    assert.match(out, /^ {2}● {2}Shared +shared +owner +prj_\w+ /m)
    assert.equal((await setup.json(['projects'])).projects[0].slug, 'shared')
  })

  test('[OPS-03] packages of another version are replaced by those of the service, with package.json and the lockfile', async () => {
    const { folder, read } = await app('older', { 'package.json': manifest('vite') })
    await setup.json(['init', ...NOT_INSTALLED], { folder })
    const current = await read('package.json')
    assert.deepEqual((await setup.json(['link'], { folder })).packages, [], 'they are those of the service')

    await writeFile(join(folder, 'package.json'), current.replaceAll(`-${VERSION}.tgz`, '-0.0.9.tgz'))
    await rename(join(folder, `.svc/svc-cli-${VERSION}.tgz`), join(folder, '.svc/svc-cli-0.0.9.tgz'))
    const { code, out } = await setup.svc(['link', '--no-install'], { folder })
    assert.equal(code, 0)
    assert.ok(
      out.includes(
        `updated from the service: @svc/cli 0.0.9 → ${VERSION}, @svc/sdk 0.0.9 → ${VERSION}\n` +
          `  Next: npm install file:.svc/svc-cli-${VERSION}.tgz file:.svc/svc-sdk-${VERSION}.tgz\n`,
      ),
      out,
    )
    assert.equal(await read('package.json'), current)
    assert.deepEqual((await readdir(join(folder, '.svc'))).toSorted(), [
      'project.json',
      `svc-cli-${VERSION}.tgz`,
      `svc-sdk-${VERSION}.tgz`,
    ])
  })

  test('[OPS-03] packages with other contents are replaced, and those of which the lockfile knows others', async () => {
    const { folder, read } = await app('changed', { 'package.json': manifest('vite') })
    await setup.json(['init', ...NOT_INSTALLED], { folder })
    const file = join(folder, `.svc/svc-sdk-${VERSION}.tgz`)
    const content = await readFile(file)
    await writeFile(file, 'damaged')
    const names = async () =>
      (await setup.json(['link', '--no-install'], { folder })).packages.map(
        ({ name }: { name: string }) => name,
      )
    assert.deepEqual(await names(), ['@svc/sdk'])
    assert.deepEqual(await readFile(file), content)
    assert.deepEqual(await names(), [])

    const entry = { integrity: 'sha512-other' }
    await writeFile(
      join(folder, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/@svc/cli': entry, 'node_modules/@svc/sdk': entry } }),
    )
    assert.deepEqual(await names(), ['@svc/cli', '@svc/sdk'])
    const own = (await read('package.json')).replace(/"file:[^"]*svc-sdk[^"]*"/, '"2.0.0"')
    await writeFile(join(folder, 'package.json'), own)
    assert.deepEqual(await names(), ['@svc/cli'], 'a dependency that somebody has chosen stays')
    assert.equal(await read('package.json'), own)
  })

  test('after the data folder of the service was deleted, doctor suggests link, and after link deploy works', async (t) => {
    const folder = join(setup.root, 'outlived')
    await setup.json(['new', 'outlived', '--no-install'])
    const emptied = await startTestSetup()
    t.after(() => emptied.stop())
    // The same person: the CLI has the local account, but the service does not have it any more.
    const credentials = await readFile(join(setup.home, '.config/svc/credentials.json'), 'utf8')
    await mkdir(join(emptied.home, '.config/svc'), { recursive: true })
    await writeFile(
      join(emptied.home, '.config/svc/credentials.json'),
      credentials.replaceAll(setup.url, emptied.url),
      { mode: 0o600 },
    )

    const examined = await emptied.svc(['doctor'], { folder })
    assert.equal(examined.code, 1)
    assert.match(examined.out, /✖ project +this account has no project outlived on the service {2}→ svc link/)
    assert.match(examined.out, /✖ keys +the service does not know SVC_DEVELOPMENT_SECRET_KEY {2}→ svc link/)
    const refused = await emptied.svc(['deploy', 'public'], { folder })
    assert.deepEqual([refused.code, /run: svc link/.test(refused.err)], [4, true])

    const unasked = await emptied.svc(['link'], { folder })
    assert.deepEqual([unasked.code, /has no project outlived for this account/.test(unasked.err)], [2, true])
    const { project, created, testProviders } = await emptied.json(['link', '--yes'], { folder })
    assert.deepEqual([project.slug, created, testProviders], ['outlived', true, ['google']])
    assert.equal((await emptied.json(['deploy', 'public'], { folder })).version, 1)
    assert.equal((await emptied.svc(['doctor'], { folder })).code, 0)
  })
})
