import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { type TestSetup, startTestSetup } from './cli.ts'

const PULL = [process.execPath, join(import.meta.dirname, '../bin/svc.js'), 'config', 'pull', '--yes']

let setup: TestSetup
let folder: string
before(async () => {
  setup = await startTestSetup()
  await setup.json(['new', 'game', '--no-install'])
  folder = join(setup.root, 'game')
})
after(() => setup.stop())

const write = (text: string) => writeFile(join(folder, 'svc.config.json'), text)
const secretKey = async (environment: string) =>
  new RegExp(`^SVC_${environment}_SECRET_KEY=(.*)$`, 'm').exec(
    await readFile(join(folder, '.env'), 'utf8'),
  )?.[1] ?? ''

describe('svc config validate', () => {
  const table: [name: string, text: string, problems: string[]][] = [
    ['a right one', '{ "features": { "saves": true } }', []],
    [
      'players that contradict each other',
      '{\n  "multiplayer": {\n    "modes": [\n      { "key": "duel",\n        "minPlayers": 5, "maxPlayers": 4 }\n    ]\n  }\n}',
      ['multiplayer.modes[0].minPlayers: 5 must not exceed maxPlayers 4 (line 5)'],
    ],
    [
      'several at once, each with its line',
      '{\n  "features": {\n    "savs": true,\n    "stats": "yes" },\n  "stats": [ {} ]\n}',
      [
        'features.savs: unknown feature "savs"; did you mean "saves"? (line 3)',
        'features.stats: must be true or false, not a text (line 4)',
        'stats[0].key: is required (line 5)',
      ],
    ],
    ['no object', '[]', ['svc.config.json: must be an object, not a list (line 1)']],
    [
      'no JSON',
      '{\n  "features": {\n    "saves": true,\n  }\n}',
      ['svc.config.json: Expected double-quoted property name (line 4)'],
    ],
    [
      'a text that ends too early',
      '{\n  "features": {\n',
      ["svc.config.json: Expected property name or '}' (line 3)"],
    ],
    ['nothing at all', '', ['svc.config.json: Unexpected end of JSON input (line 1)']],
  ]
  for (const [name, text, problems] of table) {
    test(`[CFG-02] ${name}`, async () => {
      await write(text)
      // Without a service: nothing listens at this URL.
      const options = { folder, variables: { SVC_URL: 'http://127.0.0.1:1' } }
      const { code, err } = await setup.svc(['config', 'validate'], options)

      assert.equal(code, problems.length === 0 ? 0 : 1)
      const received = err.split('\n').filter((line) => line.includes('(line '))
      assert.deepEqual(
        received,
        problems.map((problem) => `  ✖ ${problem}`),
      )
    })
  }

  test('[CFG-02] problems name the file that was given', async () => {
    await writeFile(join(folder, 'bad.json'), '[]')
    const { err } = await setup.svc(['config', 'validate', 'bad.json'], { folder })
    assert.match(err, /✖ bad\.json: must be an object, not a list \(line 1\)/)
    await writeFile(join(folder, 'good.json'), '{}')
    const { out } = await setup.svc(['config', 'validate', 'good.json'], { folder })
    assert.match(out, /◆ good\.json is valid for development/)
  })

  test('[CFG-17] production rejects values that development accepts', async () => {
    await write('{ "integrity": { "stats": { "webhook": { "url": "http://localhost:3000/verify" } } } }')

    assert.equal((await setup.svc(['config', 'validate'], { folder })).code, 0)
    const production = await setup.svc(['config', 'validate', '--env', 'prod', '--json'], { folder })
    assert.equal(production.code, 1)
    assert.equal(production.json.error.code, 'invalid_config')
    assert.deepEqual(production.json.error.details.errors, [
      { path: '$.integrity.stats.webhook.url', message: 'must be https in production', line: 1 },
    ])
  })

  test('a missing file is reported', async () => {
    const { code, err } = await setup.svc(['config', 'validate', 'nowhere.json'], { folder })

    assert.equal(code, 1)
    assert.match(err, /There is no .*nowhere\.json/)
  })
})

describe('svc config push, diff, pull', () => {
  test('a push prints once which features it turned on and off', async () => {
    await write('{ "features": { "saves": true, "stats": true } }')
    const first = await setup.svc(['config', 'push'], { folder })
    assert.match(first.out, /◆ config: saves, stats turned on \(config v1\)/)
    assert.match((await setup.svc(['config', 'push'], { folder })).out, /config: no changes \(config v1\)/)

    await write(
      '{ "features": { "saves": true, "hosting": true }, "share": { "links": { "enabled": true }, "images": { "enabled": true } } }',
    )
    const asked = await setup.svc(['config', 'push'], { folder })
    assert.equal(asked.code, 2)
    assert.match(asked.err, /svc\.config\.json turns off stats in development\. Push it\?/)
    assert.match(asked.err, /→ Use --yes/)
    const { turnedOn, turnedOff, version } = await setup.json(['config', 'push', '--yes'], { folder })
    assert.deepEqual([turnedOn, turnedOff, version], [['hosting', 'share'], ['stats'], 2])
  })

  test('enable and disable change the file in its layout, and push it', async () => {
    const text =
      '{\n    "version": 1,\n    "features": { "saves": true, "hosting": true },\n    "share": {"links":{"enabled":true},"images":{"enabled":true}}\n}\n'
    await write(text)
    const { code, out, err } = await setup.svc(['enable', 'stats', 'google'], { folder })
    assert.equal(code, 0, err)
    assert.match(out, /◆ config: stats, google turned on \(config v3\)/)
    const read = () => readFile(join(folder, 'svc.config.json'), 'utf8')
    assert.equal(
      await read(),
      '{\n    "version": 1,\n    "features": { "saves": true, "hosting": true, "stats": true },\n    "share": {"links":{"enabled":true},"images":{"enabled":true}},\n    "auth": { "providers": { "google": { "enabled": true } } }\n}\n',
    )
    const off = await setup.svc(['disable', 'stats', 'google'], { folder })
    assert.deepEqual([off.code, /! config: stats, google turned off \(config v4\)/.test(off.out)], [0, true])

    const unknown = await setup.svc(['enable', 'stat'], { folder })
    assert.equal(unknown.code, 2)
    assert.match(unknown.err, /Unknown feature: stat\.\s+→ Did you mean stats\?/)
    assert.match((await setup.svc(['enable', 'functions'], { folder })).err, /svc functions deploy/)

    const before = '{ "features": { "stats": true } }'
    await write(before)
    const others = await setup.svc(['enable', 'multiplayer'], { folder })
    assert.equal(others.code, 2)
    assert.match(others.err, /turns off saves, hosting, share in development/)
    await write('{ "features": { "saves": true, "hosting": true } }')
    const rejected = await setup.svc(['enable', 'voice', '--yes'], { folder })
    assert.equal(rejected.code, 4)
    assert.equal(
      await read(),
      '{ "features": { "saves": true, "hosting": true } }',
      'a rejected change is not written',
    )
    await write(text.replace('    "version": 1,\n', ''))
    await setup.json(['config', 'push', '--yes'], { folder })
  })

  test('a diff shows what a push would change, and changes nothing', async () => {
    await write('{ "features": { "saves": false, "hosting": true }, "resetTimeZone": "Europe/Berlin" }')
    const { code, out } = await setup.svc(['config', 'diff'], { folder })

    assert.equal(code, 0)
    assert.match(out, /~ features\.saves: true → false/)
    assert.match(out, /\+ resetTimeZone: "Europe\/Berlin"/)
    assert.match(out, /- share: /)
    assert.equal((await setup.json(['config', 'diff'], { folder })).changes.length, 3)
  })

  test('[CFG-02] problems that the service finds are printed with their lines, and nothing changes', async () => {
    await write('{\n  "features": {\n    "voice": true\n  }\n}')
    const { code, err } = await setup.svc(['config', 'push'], { folder })

    assert.equal(code, 4)
    assert.match(err, /✖ features\.voice: requires features\.realtimeChannels \(line 3\)/)
    assert.match(err, /Nothing was changed/)
  })

  test('a pull writes the file, and overwrites an existing one only with --yes', async () => {
    await write('{}')
    const asked = await setup.svc(['config', 'pull'], { folder })
    assert.equal(asked.code, 2)
    assert.match(asked.err, /--yes/)
    assert.equal(await readFile(join(folder, 'svc.config.json'), 'utf8'), '{}')

    assert.equal((await setup.svc(['config', 'pull', '--yes'], { folder })).code, 0)
    const pulled = JSON.parse(await readFile(join(folder, 'svc.config.json'), 'utf8'))
    assert.deepEqual(pulled.features, { saves: true, hosting: true })
    assert.equal((await setup.svc(['config', 'pull', 'copy.json'], { folder })).code, 0)
  })

  test('a pull that cannot be written leaves the file as it was', async () => {
    await write('{ "mine": true }')
    const { status } = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$0" "$@"', ...PULL], {
      cwd: folder,
      env: { ...setup.own, NODE_DISABLE_COMPILE_CACHE: '1' },
      timeout: 60_000,
    })
    assert.notEqual(status, 0)
    assert.equal(await readFile(join(folder, 'svc.config.json'), 'utf8'), '{ "mine": true }')
  })
})

describe('SVC_KEY, for CI', () => {
  test('a secret key is enough, without a developer or a project, for its own environment', async () => {
    const variables = { HOME: '/nonexistent', SVC_KEY: await secretKey('PRODUCTION') }
    await writeFile(join(setup.root, 'ci.json'), '{ "features": { "stats": true } }')
    const { code, out, err } = await setup.svc(['config', 'push', 'ci.json'], { variables })

    assert.equal(code, 0, err)
    assert.match(out, /stats turned on \(config v1\)/)
    assert.equal(
      (await setup.json(['config', 'pull', 'production.json', '--env', 'production'], { folder })).version,
      1,
    )
  })

  test('--env must match SVC_KEY, and SVC_KEY must be a secret key', async () => {
    const production = await secretKey('PRODUCTION')
    const other = await setup.svc(['config', 'diff', '--env', 'dev'], {
      folder,
      variables: { SVC_KEY: production },
    })
    assert.equal(other.code, 2)
    assert.match(other.err, /SVC_KEY is a production key, but --env is dev/)

    const publishable = await setup.svc(['config', 'diff'], { folder, variables: { SVC_KEY: 'pk_dev_123' } })
    assert.equal(publishable.code, 2)
    assert.match(publishable.err, /starts with sk_dev_ or sk_prod_/)
  })

  test('a revoked key exits with 3, and so do commands that need a developer', async () => {
    const wrong = await setup.svc(['config', 'diff', '--json'], {
      folder,
      variables: { SVC_KEY: 'sk_dev_00000000000000000000000000000000' },
    })
    assert.deepEqual([wrong.code, wrong.json.error.code], [3, 'invalid_key'])

    const keys = await setup.svc(['keys', 'list'], {
      folder,
      variables: { SVC_KEY: await secretKey('DEVELOPMENT') },
    })
    assert.equal(keys.code, 3)
    assert.match(keys.err, /a secret key is not enough/)
  })
})
