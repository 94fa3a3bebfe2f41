import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { ConfigDocument } from '@svc/contract/config/document'

import { freePort } from '../../server/test/server-process.ts'
import { EXIT_CODES } from '../src/output/failure.ts'
import { buildProgram } from '../src/program.ts'
import { cliPage } from '../src/reference.ts'
import { type TestSetup, startTestSetup } from './cli.ts'

const PROGRAM = [process.execPath, join(import.meta.dirname, '../bin/svc.js')]

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
})
after(() => setup.stop())

describe('wrong use exits with 2 and prints a suggestion', () => {
  const table: [args: string[], says: RegExp][] = [
    [['deplo'], /unknown command 'deplo'\s+\(Did you mean deploy\?\)/],
    [['players', 'fnd'], /\(Did you mean find\?\)/],
    [['deploy', '--messag', 'x'], /\(Did you mean --message\?\)/],
    [['players', 'show'], /missing required argument 'id'\s+→ See: svc help players show/],
    [
      ['players'],
      /Missing subcommand: svc players find \| show \| ban \| unban \| export\s+→ See: svc help players/,
    ],
    [['keys', 'lst'], /unknown command 'lst'\s+\(Did you mean list\?\)\s+→ See: svc help keys/],
    [['help', 'deplo'], /unknown command 'deplo'\s+\(Did you mean deploy\?\)/],
    [['help', 'config', 'psh'], /\(Did you mean push\?\)\s+→ See: svc help config/],
    [
      ['whoami', '--env', 'staging'],
      /Unknown environment: staging\.\s+→ Write development \(dev\) or production \(prod\)/,
    ],
    [['whoami', '--url', 'localhost:8787'], /localhost:8787 is not a valid service URL/],
    [['whoami', '--url', 'http://me:secret@localhost'], /must not contain a user name or password/],
    [['players', 'find', '--limit', '0'], /It must be a whole number above 0/],
    [['players', 'ban', 'ply_1', '--hours', 'NaN'], /It must be a number above 0/],
    [['keys', 'create', '--type', 'golden'], /Allowed choices are secret, publishable/],
    [['keys', 'list'], /No project found.*\s+→ .*svc new <folder>, or svc init/],
  ]
  for (const [args, says] of table) {
    test(`svc ${args.join(' ')}`, async () => {
      const { code, out, err } = await setup.svc(args)

      assert.equal(code, EXIT_CODES.usage.code)
      assert.match(err, says)
      assert.equal(out, '')
      assert.ok(!err.includes('secret@'), 'a password is not repeated')
    })
  }

  test('with --json stdout is one document, and stderr has the message in words', async () => {
    const { code, out, err } = await setup.svc(['deplo', '--json'])

    assert.deepEqual([code, JSON.parse(out).error.code], [2, 'wrong_use'])
    assert.match(err, /✖ unknown command 'deplo'/)
  })
})

describe('the URL of the service', () => {
  let unreachable: { SVC_URL: string }
  before(async () => {
    unreachable = { SVC_URL: `http://127.0.0.1:${await freePort()}` }
  })

  test('exits with 5 if nothing listens, and prints how to start the service', async () => {
    const variables = { ...unreachable, SVC_KEY: 'sk_dev_00000000000000000000000000000000' }
    const { code, err } = await setup.svc(['players', 'find'], { variables })

    assert.equal(code, EXIT_CODES.unreachable.code)
    assert.match(
      err,
      /Nothing listens at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\).\s+→ Start it with `npm start` in the svc folder/,
    )
  })

  test('a secret key with a line end works; a truncated one is reported', async () => {
    const variables = { ...unreachable, SVC_KEY: 'sk_dev_00000000000000000000000000000000\n' }
    assert.equal((await setup.svc(['players', 'find'], { variables })).code, EXIT_CODES.unreachable.code)
    const cut = await setup.svc(['players', 'find'], { variables: { SVC_KEY: 'sk_dev_a b' } })
    assert.deepEqual([cut.code, cut.err.includes('a b')], [EXIT_CODES.usage.code, false])
  })

  test('exits with 5 if the port belongs to another program', async () => {
    const other = createServer((_, answer) => void answer.end('<h1>hello</h1>'))
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const { code, json } = await setup.svc(['login', '--local', '--url', url, '--json'])
    other.close()

    assert.deepEqual([code, json.error.code], [5, 'unreachable'])
  })

  test('a name under localhost is this machine, as for browsers, and the service sees that name', async (t) => {
    const named = await startTestSetup({ SVC_BASE_URL: 'http://svc.localhost' })
    t.after(() => named.stop())
    const login = (host: string) =>
      named.program(['login', '--local', '--url', `http://${host}:${named.port}`])
    const { code, err } = await login('svc.localhost')
    assert.equal(code, 0, err)
    assert.equal(
      (await login('some-app.localhost')).code,
      EXIT_CODES.unreachable.code,
      'a hosted app is not a service',
    )
  })

  test('--url overrides SVC_URL, and SVC_URL overrides the project file', async () => {
    await setup.json(['new', 'placed', '--no-install'])
    const folder = join(setup.root, 'placed')
    assert.equal(
      (await setup.svc(['whoami'], { folder, variables: unreachable })).code,
      EXIT_CODES.unreachable.code,
      'nobody is known there',
    )
    assert.equal(
      (await setup.svc(['whoami', '--url', setup.url], { folder, variables: unreachable })).code,
      0,
    )
    assert.equal((await setup.svc(['whoami'], { folder, variables: { SVC_URL: '' } })).code, 0)
  })
})

describe('the project', () => {
  test('may be given by its slug; an unknown one is reported with the list of existing ones', async () => {
    const { project } = await setup.json(['new', 'named', '--no-install'])
    assert.equal((await setup.json(['keys', 'list', '--project', project.slug])).keys.length, 2)
    const { code, err } = await setup.svc(['keys', 'list', '--project', 'nowhere'])
    assert.equal(code, 2)
    assert.ok(err.includes(project.slug))
  })

  test('of another developer exits with 4, like an unknown one', async () => {
    const { code, json } = await setup.svc(['keys', 'list', '--project', 'prj_other', '--json'])

    assert.deepEqual([code, json.error.code], [4, 'project_not_found'])
  })

  test('a broken project file is reported by name', async () => {
    await setup.json(['new', 'broken', '--no-install'])
    const folder = join(setup.root, 'broken')
    await writeFile(join(folder, '.svc/project.json'), '{')
    const { code, err } = await setup.svc(['keys', 'list'], { folder })

    assert.equal(code, 1)
    assert.match(err, /project\.json is not JSON/)
  })
})

test('a disk error prints one sentence and exits with 1', async () => {
  await setup.json(['new', 'placeless', '--no-install'])
  const { code, err } = await setup.svc(['config', 'pull', 'nowhere/x.json'], {
    folder: join(setup.root, 'placeless'),
  })

  assert.equal(code, 1)
  assert.match(err, /^ {2}✖ .*nowhere\/x\.json: there is no such file or folder \(ENOENT, open\)\.\n$/)
})

test('a deleted working folder is reported, and --version works in it', async () => {
  const typed = (args: string[]) =>
    spawnSync('sh', ['-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"', ...PROGRAM, ...args], {
      cwd: setup.root,
      env: setup.own,
      encoding: 'utf8',
      timeout: 60_000,
    })
  const { status, stderr } = typed(['whoami'])
  assert.equal(status, EXIT_CODES.failed.code)
  assert.match(
    stderr,
    /^ {2}✖ The current folder no longer exists\.\n {2}→ Change to an existing folder\.\n$/,
  )
  assert.equal(typed(['--version']).status, EXIT_CODES.ok.code)
})

test('problems of a request are printed per field', async () => {
  await setup.json(['new', 'asking', '--no-install'])
  const folder = join(setup.root, 'asking')
  const { code, err } = await setup.svc(['players', 'find', '--limit', '9999'], { folder })

  assert.equal(code, 4)
  assert.match(err, /✖ limit must be a whole number from 1 to 200/)
})

describe('help and version exit with 0', () => {
  const table: [args: string[], says: RegExp][] = [
    [[], /^Usage: svc \[options\]/],
    [['--help'], /^Usage: svc \[options\]/],
    [['help'], /^Usage: svc \[options\]/],
    [['help', 'players'], /^Usage: svc players/],
    [['help', 'config', 'push'], /^Usage: svc config push/],
    [['config', 'push', '--help'], /^Usage: svc config push/],
    [['--version'], /^\d+\.\d+\.\d+ \(\/.*\/packages\/cli\)\n$/],
    [['--version', '--json'], /^\{\s+"text": "\d+\.\d+\.\d+ \(.+\)"\s+\}\n$/],
  ]
  for (const [args, says] of table) {
    test(`svc ${args.join(' ')}`, async () => {
      const { code, out, err } = await setup.svc(args)

      assert.deepEqual([code, err], [0, ''])
      assert.match(out, says)
    })
  }
})

test('commands and pages mentioned in the config document exist', () => {
  const program = buildProgram('', async () => {})
  const schema = JSON.stringify(ConfigDocument)
  const commands = [...schema.matchAll(/svc (\w+) (\w+)/g)]
  assert.ok(commands.length > 0)
  for (const [, group, name] of commands) {
    const found = program.commands.find((one) => one.name() === group)
    assert.ok(
      found?.commands.some((one) => one.name() === name),
      `svc ${group} ${name}`,
    )
  }
  assert.doesNotMatch(schema, /dashboard/i)
})

test('docs/cli.md matches the definitions of the commands', async () => {
  const path = join(import.meta.dirname, '../../../docs/cli.md')

  assert.equal(await readFile(path, 'utf8'), cliPage())
})
