import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { VERSION } from '../../server/src/version.ts'
import { type TestSetup, startTestSetup } from './cli.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
})
after(() => setup.stop())

/** The PATH of a user who has not installed svc; that of this repository is not in it either. */
const pathWithoutSvc = () =>
  setup.own.PATH.split(delimiter)
    .filter((folder) => !folder.includes('node_modules') && !existsSync(join(folder, 'svc')))
    .join(delimiter)

const credentialsFile = () => join(setup.home, '.config/svc/credentials.json')
const validateCredentials = async () => JSON.parse(await readFile(credentialsFile(), 'utf8')).services

describe('svc new', () => {
  test('right after the start of a local service: an account, a project, a folder that runs', async () => {
    const { code, out, err } = await setup.svc(['new', 'star-duel', '--template', 'duel'])

    assert.equal(code, 0, err)
    assert.match(out, /◇ created the account developer@localhost on the local service/)
    assert.match(
      out,
      /◆ project "Star Duel" {2}slug star-duel {2}keys written to star-duel\/\.env \(secret keys are shown only once\)/,
    )
    assert.match(out, /◇ google: development uses the built-in test provider/)
    assert.ok(!out.includes('\x1b'), 'no colors without a terminal')

    const folder = join(setup.root, 'star-duel')
    const keys = await readFile(join(folder, '.env'), 'utf8')
    assert.match(keys, /^SVC_DEVELOPMENT_SECRET_KEY=sk_dev_\w+$/m)
    assert.match(keys, /^SVC_PRODUCTION_PUBLISHABLE_KEY=pk_prod_\w+$/m)
    assert.equal((await stat(join(folder, '.env'))).mode & 0o777, 0o600)
    assert.match(await readFile(join(folder, '.gitignore'), 'utf8'), /^\.env$/m)
    const project = JSON.parse(await readFile(join(folder, '.svc/project.json'), 'utf8'))
    assert.deepEqual(Object.keys(project), ['url', 'project', 'slug'])
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    assert.deepEqual(
      [dependencies, devDependencies],
      [
        { '@svc/sdk': `file:.svc/svc-sdk-${VERSION}.tgz` },
        { '@svc/cli': `file:.svc/svc-cli-${VERSION}.tgz` },
      ],
    )
    assert.match(await readFile(join(folder, 'public/index.html'), 'utf8'), /Star Duel/)
    const readme = await readFile(join(folder, 'README.md'), 'utf8')
    assert.deepEqual(
      [...readme.matchAll(/\]\((http[^)]+)\)/g)].map(([, link]) => link),
      [`${setup.url}/docs/pictures/star-duel.png`, `${setup.url}/docs/guide/functions`],
    )
    assert.ok(!readme.includes('../'))
  })

  test('svc new --template empty is one page that works', async () => {
    const folder = join(setup.root, 'my-game')
    await setup.json(['new', 'my-game', '--template', 'empty', '--no-install'])
    assert.deepEqual((await readdir(folder)).toSorted(), [
      '.env',
      '.gitignore',
      '.svc',
      'README.md',
      'package.json',
      'public',
      'svc.config.json',
    ])
    const { live } = await setup.json(['deploy', 'public'], { folder })
    assert.equal(live, true)
  })

  test('the page of every template says in its head what it is, for search engines and for links in chats', () => {
    const pages = globSync(join(EXAMPLES, '*/public/index.html'))
    assert.equal(pages.length, 5)
    for (const page of pages)
      assert.match(
        readFileSync(page, 'utf8'),
        /<meta name="description" content="[^"]{10,160}" \/>\s+<title>\w/,
      )
  })

  test('the credentials file is readable only by its owner, and one that others can read is rejected', async () => {
    assert.equal((await stat(credentialsFile())).mode & 0o777, 0o600)
    const { chmod } = await import('node:fs/promises')
    await chmod(credentialsFile(), 0o644)
    const { code, err } = await setup.svc(['whoami'])
    await chmod(credentialsFile(), 0o600)

    assert.equal(code, 1)
    assert.match(err, /Run: chmod 600 /)
  })

  test('[OPS-02] a clone of the folder needs npm ci and the service, and nothing else of svc', async () => {
    const original = join(setup.root, 'star-duel')
    const folder = join(setup.root, 'clones/star-duel')
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args])
    git('init', '-q', original)
    git('-C', original, 'add', '--all')
    git('-C', original, 'commit', '-q', '-m', 'game')
    git('clone', '-q', original, folder)
    const PATH = pathWithoutSvc()
    const npm = (args: string[], from = folder) =>
      spawnSync('npm', args, { cwd: from, env: { ...setup.own, PATH }, encoding: 'utf8', timeout: 60_000 })
    assert.equal(npm(['run', '--silent', 'svc', '--', 'config', 'validate'], original).status, 0)
    assert.notEqual(npm(['run', '--silent', 'svc', '--', 'config', 'validate']).status, 0)
    const installed = npm(['ci'])
    assert.equal(installed.status, 0, installed.stderr)
    await assert.rejects(stat(join(folder, '.env')), 'keys are not in the repository')
    const { status, stdout } = npm(['run', 'svc', '--', 'deploy', '../public'], join(folder, 'public'))
    assert.deepEqual([status, /◆ v1 is live/.test(stdout)], [0, true], 'relative to where it was typed')
  })

  test('hints name the command that was typed; without svc in the PATH, new says how to install it', async () => {
    const setUp = `  svc is not in your PATH. Install it once: npm install -g ${setup.url}/packages/svc-cli.tgz\n`
    const byNpm = { npm_lifecycle_event: 'svc', INIT_CWD: setup.root }
    const typed = async (folder: string, variables: Record<string, string>) =>
      (await setup.svc(['new', folder, '--no-install'], { variables })).out

    const installed = await typed('typed-1', {})
    assert.match(installed, /\n {2}Next: cd typed-1 && npm install && svc deploy public\n$/)
    assert.match(installed, /\(change it with svc providers\)/)
    assert.doesNotMatch(installed, /npm install -g/)
    const once = await typed('typed-2', { PATH: pathWithoutSvc() })
    assert.ok(once.endsWith(`\n${setUp}  Next: cd typed-2 && npm install && svc deploy public\n`), once)
    const inClone = await typed('typed-3', { ...byNpm, PATH: pathWithoutSvc() })
    assert.ok(
      inClone.endsWith(`\n${setUp}  Next: cd typed-3 && npm install && npm run svc -- deploy public\n`),
      inClone,
    )
  })

  test('if npm started the command, hints are npm commands', async () => {
    const variables = { npm_lifecycle_event: 'svc', INIT_CWD: join(setup.root, 'star-duel') }
    const { out } = await setup.svc(['deploy', 'public', '--no-activate'], { variables })
    assert.match(out, /make it live: npm run svc -- rollback \d/)
    const { err } = await setup.svc(['whoami'], {
      variables: { ...variables, XDG_CONFIG_HOME: join(setup.root, 'nobody') },
    })
    assert.match(err, /→ Run: npm run svc -- login\n/)
  })

  test('--no-install skips npm install and prints that it is needed', async () => {
    const { code, out } = await setup.svc(['new', 'not-installed', '--no-install'])
    assert.equal(code, 0)
    assert.match(out, /Next: cd not-installed && npm install && svc deploy public\n/)
    await assert.rejects(stat(join(setup.root, 'not-installed/node_modules')))
  })

  test('without npm everything else is created, and the output says what is missing', async () => {
    const variables = { PATH: '/nonexistent' }
    const { code, out } = await setup.svc(['new', 'no-npm'], { variables })
    assert.equal(code, 0)
    assert.match(out, /! npm install failed: ENOENT\. Run again in .*no-npm: npm install\n/)
    assert.match(out, /Next: cd no-npm && npm install && svc deploy public\n/)
  })

  test('svc.config.json refers to its schema in an existing file', async () => {
    const folder = join(setup.root, 'star-duel')
    const { $schema } = JSON.parse(await readFile(join(folder, 'svc.config.json'), 'utf8'))
    const schema = JSON.parse(await readFile(join(folder, $schema), 'utf8'))
    assert.ok('features' in schema.properties)
  })

  test('a folder that is not empty is not changed', async () => {
    const { code, err } = await setup.svc(['new', 'star-duel'])

    assert.equal(code, 1)
    assert.match(err, /star-duel is not empty/)
  })

  test('if the folder cannot be created, no project is created whose keys would be lost', async () => {
    await writeFile(join(setup.root, 'a-file'), '')
    const { code, err } = await setup.svc(['new', 'a-file/game', '--name', 'Lost'])
    assert.equal(code, 1)
    assert.match(err, /a-file\/game: a part of its path is a file.*\s+→ Choose another folder/)
    const listed = await setup.svc(['keys', 'list', '--project', 'lost'])
    assert.match(listed.err, /This account has no project lost/)
  })

  test('if the disk becomes full, the keys are already written', async () => {
    const program = [process.execPath, join(import.meta.dirname, '../bin/svc.js'), 'new', 'half-made']
    // Files of a kilobyte: the keys fit, the game does not.
    const { status } = spawnSync('sh', ['-c', 'ulimit -f 2; exec "$0" "$@"', ...program], {
      cwd: setup.root,
      env: { ...setup.own, NODE_DISABLE_COMPILE_CACHE: '1' },
      timeout: 60_000,
    })
    assert.notEqual(status, 0)
    assert.match(
      await readFile(join(setup.root, 'half-made/.env'), 'utf8'),
      /^SVC_PRODUCTION_SECRET_KEY=sk_prod_\w+$/m,
    )
  })

  test('the printed next commands work, and package.json has the name of the project', async () => {
    const { code, out } = await setup.svc(['new', "it's mine", '--no-install'])
    assert.equal(code, 0)
    assert.ok(out.includes(`Next: cd 'it'\\''s mine' && npm install && svc deploy public`), out)
    const { name } = JSON.parse(await readFile(join(setup.root, "it's mine/package.json"), 'utf8'))
    assert.equal(name, 'it-s-mine')
  })

  test('an unknown template and a reserved name are rejected, and no folder is created', async () => {
    const unknown = await setup.svc(['new', 'other', '--template', 'chess'])
    assert.equal(unknown.code, 2)
    assert.match(unknown.err, /Allowed choices are duel/)

    const reserved = await setup.svc(['new', 'other', '--name', 'svc admin', '--json'])
    assert.equal(reserved.code, 4)
    assert.equal(reserved.json.error.code, 'name_reserved')
    await assert.rejects(stat(join(setup.root, 'other')))
  })

  test('--json prints one document', async () => {
    const { project, testProviders } = await setup.json([
      'new',
      'second',
      '--name',
      'Second Game',
      '--no-install',
    ])

    assert.equal(project.name, 'Second Game')
    assert.deepEqual(testProviders, ['google'])
  })

  test('the local account is used again after its session ended, and created again on an emptied service', async () => {
    const services = await validateCredentials()
    const kept = services[setup.url]
    services[setup.url] = { ...kept, token: 'kds_ended' }
    await writeFile(credentialsFile(), JSON.stringify({ services }))
    assert.equal((await setup.svc(['whoami'])).code, 0)
    assert.notEqual((await validateCredentials())[setup.url].token, 'kds_ended')

    const emptied = await startTestSetup()
    const home = join(emptied.home, '.config/svc')
    await mkdir(home, { recursive: true })
    const remembered = { services: { [emptied.url]: { ...kept, token: 'kds_of_before' } } }
    await writeFile(join(home, 'credentials.json'), JSON.stringify(remembered), { mode: 0o600 })
    const { code, err } = await emptied.svc(['new', 'again', '--no-install'])
    await emptied.stop()
    assert.equal(code, 0, err)
  })

  test('from another home folder the local account is unknown: sign in first', async () => {
    const stranger = join(setup.root, 'stranger')
    await mkdir(stranger)
    const { code, err } = await setup.svc(['new', 'third'], { variables: { HOME: stranger } })

    assert.equal(code, 3)
    assert.match(err, /svc login --web --url http:\/\/localhost:\d+\. Without a browser: /)
    await assert.rejects(stat(join(setup.root, 'third')))
  })

  test('no account is created automatically on a service that is not on this machine', async () => {
    const { code, err } = await setup.svc(['new', 'third', '--url', 'https://svc.invalid'])

    assert.equal(code, 5)
    assert.match(err, /https:\/\/svc\.invalid cannot be reached/)
    await assert.rejects(stat(join(setup.root, 'third')))
  })
})

describe('svc login', () => {
  const someone = () => ({ HOME: join(setup.root, 'someone') })
  before(() => mkdir(join(setup.root, 'someone')))
  const email = 'ada@example.com'

  test('signs up and in with a password from the input', async () => {
    const variables = someone()
    const options = { variables, input: 'correct horse\n' }
    const made = await setup.svc(['login', '--email', email, '--password-stdin', '--sign-up'], options)
    assert.equal(made.code, 0, made.err)
    const again = await setup.svc(['login', '--email', email, '--password-stdin'], options)
    assert.equal(again.code, 0, again.err)
    assert.match(again.out, /◆ signed in at http:\/\/localhost:\d+ as ada@example\.com/)

    const { services } = JSON.parse(
      await readFile(join(variables.HOME, '.config/svc/credentials.json'), 'utf8'),
    )
    assert.deepEqual(
      Object.keys(services[setup.url]),
      ['email', 'token'],
      'a password that was typed is not kept',
    )
  })

  test('a wrong password exits with 3, a registered email with 4', async () => {
    const input = 'wrong horse'
    const wrong = await setup.svc(['login', '--email', email, '--password-stdin'], { input })
    assert.equal(wrong.code, 3)
    const taken = await setup.svc(['login', '--email', email, '--password-stdin', '--sign-up', '--json'], {
      input,
    })
    assert.deepEqual([taken.code, taken.json.error.code], [4, 'email_taken'])
  })

  test('[DEV-01] creates an account with the link or the token of an invitation', async (t) => {
    const invited = await startTestSetup({ SVC_SIGN_UP: 'first' })
    t.after(() => invited.stop())
    const [link = '', token = ''] = /http\S+#setup=([\w-]+)/.exec(invited.banner) ?? []
    const login = ['login', '--email', email, '--password-stdin']
    const input = 'correct horse\n'

    const closed = await invited.svc([...login, '--sign-up'], { input })
    assert.deepEqual([closed.code, /→ With an invitation, run: svc login/.test(closed.err)], [4, true])
    const wrong = await invited.svc([...login, '--invitation', `${token}x`, '--json'], { input })
    assert.deepEqual([wrong.code, wrong.json.error.code], [4, 'invalid_or_expired_token'])
    assert.equal((await invited.json([...login, '--invitation', link], { input })).email, email)
    assert.equal((await invited.json(['whoami'])).developer.email, email)
  })

  test('accepts a token, and rejects a wrong one', async () => {
    const { body } = await setup.call('POST', '/v1/developers/login', {
      body: { email, password: 'correct horse' },
    })
    const variables = { HOME: join(setup.root, 'someone'), XDG_CONFIG_HOME: join(setup.root, 'xdg') }
    const { code } = await setup.svc(['login', '--token-stdin'], { variables, input: `${body.token}\n` })
    assert.equal(code, 0)
    assert.ok((await stat(join(setup.root, 'xdg/svc/credentials.json'))).isFile())

    for (const [input, ends] of [
      ['kds_wrong', 3],
      ['', 2],
      ['two\nlines', 2],
    ] as const) {
      assert.equal((await setup.svc(['login', '--token-stdin'], { variables, input })).code, ends)
    }
    assert.equal((await setup.json(['whoami'], { variables })).developer.email, email)
  })

  test('without a terminal it asks nothing and prints the options', async () => {
    const { code, err } = await setup.svc(['login'], { variables: someone() })

    assert.equal(code, 2)
    assert.match(err, /--email and --password-stdin, --web, --token-stdin, or --local/)
  })

  test('logout ends the session at the service too', async () => {
    const variables = someone()
    const { services } = JSON.parse(
      await readFile(join(variables.HOME, '.config/svc/credentials.json'), 'utf8'),
    )
    const { token } = services[setup.url]
    assert.equal((await setup.svc(['logout'], { variables })).code, 0)

    assert.equal((await setup.call('GET', '/v1/developers/me', { token })).status, 401)
    const { code, err } = await setup.svc(['whoami'], { variables })
    assert.equal(code, 3)
    assert.match(err, /Run: svc login/)
    assert.equal((await setup.svc(['logout'], { variables })).code, 0, 'twice is not an error')
  })

  test('two concurrent sign-ins both succeed', async () => {
    const variables = { HOME: join(setup.root, 'race') }
    await rm(variables.HOME, { recursive: true, force: true })
    await mkdir(variables.HOME)
    const input = 'correct horse'
    const args = ['login', '--email', email, '--password-stdin']
    const both = await Promise.all([1, 2].map(() => setup.svc(args, { variables, input })))

    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0],
    )
    assert.equal((await setup.svc(['whoami'], { variables })).code, 0)
  })
})
