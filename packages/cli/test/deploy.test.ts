import assert from 'node:assert/strict'
import { mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import { type TestSetup, startTestSetup } from './cli.ts'

let setup: TestSetup
let folder: string
before(async () => {
  setup = await startTestSetup()
  await setup.json(['new', 'star-duel', '--no-install'])
  folder = join(setup.root, 'star-duel')
})
after(() => setup.stop())

/** Requests like a browser: Node does not resolve names under localhost. */
async function page(host: string, path = '/') {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>()
  const headers = { Host: `${host}.localhost:${setup.port}` }
  get({ host: '127.0.0.1', port: setup.port, path, headers }, (answer) => {
    text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject)
  }).on('error', reject)
  return promise
}

const file = (name: string) => join(folder, 'public', name)

describe('svc deploy', () => {
  test('[HST-02] the first deploy pushes the config, uploads, activates and prints the URL', async () => {
    const { code, out, err } = await setup.svc(['deploy', 'public'], { folder })

    assert.equal(code, 0, err)
    assert.match(out, /◇ config: .*hosting.*google, share turned on \(config v1\)/)
    assert.match(out, /◇ google: test provider in development \(add real credentials before production\)/)
    assert.match(out, /━{20} uploaded 1\/1 files, \d+\.\d KB/)
    assert.match(out, new RegExp(`◆ v1 is live {3}http://star-duel--dev\\.localhost:${setup.port}`))
    assert.ok(!out.includes('\r') && !out.includes('\x1b'), 'no moving bar without a terminal')
    assert.equal((await page('star-duel--dev')).body, await readFile(file('index.html'), 'utf8'))
  })

  test('[HST-02] the next deploy uploads only new files, and prints how many have changed', async () => {
    await writeFile(file('extra.txt'), 'more stars')
    const result = await setup.json(['deploy', '-m', 'more stars'], { folder })

    assert.deepEqual([result.version, result.files, result.uploaded], [2, 2, { files: 1, bytes: 10 }])
    assert.deepEqual(result.changes, { added: ['extra.txt'], changed: [], removed: [] })
    assert.deepEqual(result.config.changed, false)
    assert.equal((await page('star-duel--dev', '/extra.txt')).body, 'more stars')
  })

  test('secrets, repositories and links are skipped and listed', async () => {
    await writeFile(file('.env'), 'SECRET=1')
    await mkdir(file('.git'))
    await writeFile(file('.git/config'), '')
    await symlink('/etc/hostname', file('link'))
    const { code, out } = await setup.svc(['deploy'], { folder })
    for (const name of ['.env', '.git', 'link']) await rm(file(name), { recursive: true })

    assert.equal(code, 0)
    assert.match(out, /! skipped: (?=.*\.env)(?=.*\.git)(?=.*link)/)
    assert.notEqual((await page('star-duel--dev', '/.env')).body, 'SECRET=1')
  })

  test('a secret key or a private key in any file stops it before anything is uploaded', async () => {
    const env = await readFile(join(folder, '.env'), 'utf8')
    const [, secret = ''] = /^SVC_PRODUCTION_SECRET_KEY=(.*)$/m.exec(env) ?? []
    const privateKey = `-----BEGIN PRIVATE KEY-----\n${'MIGHAgEAMBMGByqGSM49'.repeat(4)}\n`
    const secrets = {
      'app.js': `x('${secret}')`,
      // Across the end of a chunk of 64 KiB.
      'long.js': `${' '.repeat(65_536 - 20)}${secret}`,
      'token.txt': `kds_${'a'.repeat(43)}`,
      'key.txt': privateKey,
    }
    for (const [name, content] of Object.entries(secrets)) await writeFile(file(name), content)
    const { code, out, err, json } = await setup.svc(['deploy', '--json'], { folder })
    for (const name of Object.keys(secrets)) await rm(file(name))

    assert.deepEqual([code, json.error.code], [1, 'secret_in_files'])
    assert.deepEqual(json.error.details.files, Object.keys(secrets).toSorted())
    assert.ok(!`${out}${err}`.includes(secret))
  })

  test('text that only resembles a key is accepted', async () => {
    await writeFile(file('about.html'), `sk_dev_${'0'.repeat(32)} pk_dev_1 -----BEGIN PRIVATE KEY-----`)
    assert.equal((await setup.json(['deploy'], { folder })).live, true)
    await rm(file('about.html'))
  })

  test('the project folder is not deployed as the app folder', async () => {
    const { code, err } = await setup.svc(['deploy', '.'], { folder })
    assert.equal(code, 1)
    assert.match(
      err,
      /is the project folder\. Deploy the folder with the built app\.\s+→ Deploy the folder that contains index\.html/,
    )
    assert.match((await setup.svc(['deploy', 'svc.config.json'], { folder })).err, /is a file, not a folder/)
  })

  test('without index.html, where the live version has one, it asks; --yes activates the version', async () => {
    await mkdir(join(folder, 'data'))
    await writeFile(join(folder, 'data/list.json'), '[]')
    const { version } = await setup.json(['deploy'], { folder })
    const asked = await setup.svc(['deploy', 'data'], { folder })
    assert.equal(asked.code, 2)
    assert.match(asked.err, /The live version has an index\.html, but this folder has none/)
    assert.match(asked.err, /→ Use the folder that contains index\.html, or --yes/)
    assert.equal((await setup.json(['deploys', '--limit', '1'], { folder })).deployments[0].version, version)

    const { code, out } = await setup.svc(['deploy', 'data', '--yes'], { folder })
    assert.equal(code, 0)
    assert.match(out, /! data has no index\.html: the app’s URL will return 404/)
    assert.equal(
      (await setup.svc(['deploy', 'data'], { folder })).code,
      0,
      'the live version has none either',
    )
    await setup.json(['deploy', 'public'], { folder })
  })

  test('without a folder it deploys the folder that was deployed last, from everywhere in the project', async () => {
    await mkdir(join(folder, 'build/site'), { recursive: true })
    await writeFile(join(folder, 'build/site/index.html'), 'built')
    assert.equal((await setup.json(['deploy', 'build/site'], { folder })).files, 1)
    assert.equal((await setup.json(['deploy'], { folder: join(folder, 'build') })).files, 1)
    const stored = async () => JSON.parse(await readFile(join(folder, '.svc/project.json'), 'utf8'))
    assert.equal((await stored()).deployed, 'build/site')
    assert.equal((await setup.svc(['link'], { folder })).code, 0)
    assert.equal((await stored()).deployed, 'build/site', 'svc link keeps it')
    await setup.json(['deploy', 'public'], { folder })
    assert.equal((await stored()).deployed, 'public')
    const outside = join(setup.root, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'index.html'), 'outside')
    await setup.json(['deploy', '../outside'], { folder })
    assert.equal((await stored()).deployed, 'public', 'a folder outside of the project is not remembered')
    await setup.json(['deploy'], { folder })
  })

  test('functions and what .svcignore names are skipped and listed', async () => {
    await setup.json(['init', '--yes', '--no-install'], { folder: await plainApp() })
    const app = join(setup.root, 'plain-app')
    await writeFile(join(app, '.svcignore'), '# sources of pictures\n*.psd\n/drafts/\n!keep.psd\n')
    const { out, err, code } = await setup.svc(['deploy', '.'], { folder: app })
    assert.equal(code, 0, err)
    assert.match(
      out,
      /! skipped: (?=.*\.svcignore)(?=.*art\.psd)(?=.*drafts)(?=.*functions)(?=.*referee)(?=.*package\.json)/,
    )
    const { files } = await setup.json(['deploy'], { folder: app })
    assert.equal(files, 3, 'index.html, keep.psd and pages/functions/about.html')
  })

  async function plainApp(): Promise<string> {
    const app = join(setup.root, 'plain-app')
    const files = [
      'index.html',
      'art.psd',
      'keep.psd',
      'drafts/a.html',
      'functions/index.js',
      'referee/wrangler.toml',
      'referee/src/index.js',
      'pages/functions/about.html',
    ]
    for (const name of files) {
      await mkdir(join(app, name, '..'), { recursive: true })
      await writeFile(join(app, name), name)
    }
    return app
  }

  test('after svc init in plain HTML the hint names the folder that init named', async () => {
    const app = join(setup.root, 'hint')
    await mkdir(app)
    await writeFile(join(app, 'index.html'), 'hello')
    await setup.json(['init', '--yes', '--no-install'], { folder: app })
    const { code, err } = await setup.svc(['deploy'], { folder: app })
    assert.equal(code, 1)
    assert.match(err, /There is no folder .*public\.\s+→ .*svc deploy \.\n/)
  })

  test('it asks before the config turns a feature off', async () => {
    const path = join(folder, 'svc.config.json')
    const right = await readFile(path, 'utf8')
    await writeFile(path, right.replace('"stats": true', '"stats": false'))
    const asked = await setup.svc(['deploy'], { folder })
    assert.equal(asked.code, 2)
    assert.match(asked.err, /svc\.config\.json turns off stats in development\. Push it\?/)
    const { code, out } = await setup.svc(['deploy', '--yes'], { folder })
    await writeFile(path, right)
    assert.equal(code, 0)
    assert.match(out, /! config: stats turned off/)
    await setup.json(['deploy'], { folder })
  })

  test('[HST-09] a file whose name cannot be served is reported by name', async () => {
    await mkdir(file('.auth'))
    await writeFile(file('.auth/x.html'), '')
    const { code, err } = await setup.svc(['deploy'], { folder })
    await rm(file('.auth'), { recursive: true })
    assert.equal(code, 4)
    assert.match(err, /✖ \.auth\/x\.html: is reserved for the service/)
  })

  test('a name that is not UTF-8, and two Unicode forms of one name, are reported', async () => {
    const odd = Buffer.concat([Buffer.from(file('odd-')), Buffer.from([0xff]), Buffer.from('.txt')])
    await writeFile(odd, 'odd')
    const { code, err } = await setup.svc(['deploy'], { folder })
    await rm(odd)
    assert.equal(code, 1)
    assert.match(err, /✖ The name of odd-\ufffd\.txt is not UTF-8\.\s+→ Rename it/)

    const forms = ['\u00e9.txt', 'e\u0301.txt'].map(file)
    for (const form of forms) await writeFile(form, form)
    const twice = await setup.svc(['deploy'], { folder })
    for (const form of forms) await rm(form)
    assert.equal(twice.code, 4)
    assert.match(twice.err, /✖ \u00e9\.txt: occurs twice/)
  })

  test('many files in several folders with any names are each deployed once', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `d${index % 7}/ü e\u0301 ${index}.txt`)
    for (const name of new Set(names.map((name) => name.slice(0, 2)))) await mkdir(file(name))
    await Promise.all(names.map((name) => writeFile(file(name), `same ${Number(name.slice(7, -4)) % 100}`)))
    const { uploaded, files } = await setup.json(['deploy'], { folder })
    for (const name of new Set(names.map((name) => name.slice(0, 2))))
      await rm(file(name), { recursive: true })

    assert.equal(files, 152)
    assert.equal(uploaded.files, 100, 'the same bytes are sent once')
    const { status } = await page('star-duel--dev', `/d0/${encodeURIComponent('ü \u00e9 0.txt')}`)
    assert.equal(status, 200)
  })

  test('--no-activate uploads only; a rollback to it makes it live', async () => {
    await writeFile(file('extra.txt'), 'later')
    const { version, live } = await setup.json(['deploy', '--no-activate', '--no-config'], { folder })
    assert.equal(live, false)
    assert.notEqual((await page('star-duel--dev', '/extra.txt')).body, 'later')
    assert.match(
      (await setup.svc(['rollback', `v${version}`], { folder })).out,
      new RegExp(`◆ v${version} is live \\(was v\\d+\\)   http`),
    )
    assert.equal((await page('star-duel--dev', '/extra.txt')).body, 'later')
  })

  test('a config with a problem stops it before anything is uploaded', async () => {
    const path = join(folder, 'svc.config.json')
    const right = await readFile(path, 'utf8')
    await writeFile(path, right.replace('"minPlayers": 2', '"minPlayers": 5'))
    const { code, err } = await setup.svc(['deploy'], { folder })
    await writeFile(path, right)

    assert.equal(code, 4)
    assert.match(err, /✖ multiplayer\.modes\[0\]\.minPlayers: 5 must not exceed maxPlayers 2 \(line \d+\)/)
  })

  test('a missing folder, an empty one and a file that is too large exit with 1', async () => {
    assert.equal((await setup.svc(['deploy', 'nowhere'], { folder })).code, 1)
    await mkdir(join(folder, 'nothing'))
    assert.match((await setup.svc(['deploy', 'nothing'], { folder })).err, /There is nothing to deploy in/)
    await writeFile(join(folder, 'nothing/large.bin'), '')
    await truncate(join(folder, 'nothing/large.bin'), 50 * 1024 * 1024 + 1)
    const { code, err } = await setup.svc(['deploy', 'nothing'], { folder })
    assert.equal(code, 1)
    assert.match(err, /large\.bin is larger than 52\.4 MB: 52\.4 MB\.\s+→ Make it smaller/)
  })

  test('[HST-01] with a secret key, for CI', async () => {
    const [, key = ''] =
      /^SVC_DEVELOPMENT_SECRET_KEY=(.*)$/m.exec(await readFile(join(folder, '.env'), 'utf8')) ?? []
    const variables = { HOME: '/nonexistent', SVC_KEY: key }
    const { live } = await setup.json(['deploy', join(folder, 'public')], { variables })
    assert.equal(live, true)
    assert.equal(
      (await setup.svc(['promote', '--yes'], { folder, variables })).code,
      3,
      'a key opens one environment',
    )
  })

  test('[HST-01] with hosting off it prints the name of the feature', async () => {
    const { project } = await setup.json(['new', 'plain', '--no-install'])
    await mkdir(join(setup.root, 'site'))
    await writeFile(join(setup.root, 'site/index.html'), 'hello')
    const { code, err } = await setup.svc(['deploy', 'site', '--project', project.id])
    assert.equal(code, 4)
    assert.match(err, /→ Turn it on: svc enable hosting\n/)
  })
})

describe('svc deploys, svc rollback, svc promote', () => {
  test('[HST-07] the history marks the live version', async () => {
    const { out } = await setup.svc(['deploys'], { folder })
    assert.equal(out.match(/●/g)?.length, 1)
    assert.match(out, /v2 +2 .* more stars/)
    assert.equal((await setup.json(['deploys', '--limit', '1'], { folder })).deployments.length, 1)
  })

  test('[HST-06] a rollback activates the previously live version, or the given one', async () => {
    const { version: newest } = await setup.json(['deploy', '-m', 'newest'], { folder })
    const { out } = await setup.svc(['rollback'], { folder })
    assert.match(out, new RegExp(`◆ v${newest - 1} is live again \\(was v${newest}\\)   http`))
    assert.equal((await setup.json(['rollback', '1'], { folder })).version, 1)
    const none = await setup.svc(['rollback'], { folder })
    assert.equal(none.code, 1)
    assert.match(none.err, /There is no earlier live version/)
    const unknown = await setup.svc(['rollback', '999', '--json'], { folder })
    assert.deepEqual([unknown.code, unknown.json.error.code], [4, 'deployment_not_found'])
  })

  test('a promotion prints changes and missing parts, asks, and activates the version with its config', async () => {
    const asked = await setup.svc(['promote', '--to', 'production'], { folder })
    assert.equal(asked.code, 2)
    assert.match(asked.out, /development v1 → production/)
    assert.match(asked.out, /\+ index\.html/)
    assert.match(asked.out, /\+ features: /)
    assert.match(
      asked.out,
      /✖ google has no credentials in production: sign-in will fail with provider_not_configured/,
    )
    assert.equal((await page('star-duel')).status, 404, 'nothing was changed')

    const { to, missingProviders } = await setup.json(['promote', '--yes'], { folder })
    assert.deepEqual([to.env, to.version, missingProviders], ['production', 1, ['google']])
    assert.equal((await page('star-duel')).body, await readFile(file('index.html'), 'utf8'))

    const again = await setup.svc(['promote', '--yes'], { folder })
    assert.match(again.out, /◆ production is already up to date/)
    await setup.json(['rollback', '2'], { folder })
    const next = await setup.svc(['promote', '--yes'], { folder })
    assert.match(next.out, /◆ production is now at v2 \(was v1\)\. {2}Undo: svc rollback 1 --env production/)
  })

  test('without a live version, and from an environment to itself, promote is rejected', async () => {
    const { project } = await setup.json(['new', 'nothing-live', '--no-install'])
    const empty = join(setup.root, 'nothing-live')
    await setup.json(['config', 'push'], { folder: empty })
    assert.equal((await setup.svc(['promote', '--yes', '--project', project.id], { folder: empty })).code, 1)
    assert.equal((await setup.svc(['promote', '--from', 'dev', '--to', 'development'], { folder })).code, 2)
  })
})
