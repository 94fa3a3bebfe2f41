import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import { lineText } from '../src/functions/logs.ts'
import { readFunctionsProject, withoutComments } from '../src/functions/project.ts'
import type { Failure } from '../src/output/failure.ts'
import { follow, launch, type TestSetup, startFunctionsSetup } from './cli.ts'

describe('svc functions', () => {
  let setup: TestSetup
  let folder: string
  before(async () => {
    setup = await startFunctionsSetup()
    await setup.json(['new', 'star-duel', '--no-install'])
    folder = join(setup.root, 'star-duel')
  })
  after(() => setup.stop())

  const get = (url: string, path: string) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const { host } = new URL(url)
      request({ host: '127.0.0.1', port: setup.port, path, headers: { host } }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
      })
        .on('error', reject)
        .end()
    })

  test('[FUN-05] deploy a new folder, show its state, and go back to an older version', async () => {
    await setup.json(['functions', 'init'], { folder })
    const first = await setup.json(['functions', 'deploy'], { folder })
    assert.equal(first.version, 1)
    assert.deepEqual(JSON.parse((await get(first.url, '/')).body), { hello: 'guest' })

    await writeFile(
      join(folder, 'functions/src/index.ts'),
      `import { fail } from './fail.ts'
export default { fetch: (request: Request, env: { TOKEN?: string }) =>
  new URL(request.url).pathname === '/fail' ? fail() : new Response(env.TOKEN ?? 'none') }`,
    )
    await writeFile(
      join(folder, 'functions/src/fail.ts'),
      `export function fail(): Response {\n  throw new Error('on line two')\n}\n`,
    )
    await setup.json(['functions', 'deploy', 'functions', '-m', 'second'], { folder })
    await writeFile(join(folder, 'token.txt'), 'a secret\n')
    await setup.json(['functions', 'secrets', 'set', 'TOKEN', '--file', 'token.txt'], { folder })
    assert.equal((await get(first.url, '/')).body, 'a secret')
    assert.deepEqual(
      (await setup.json(['functions', 'secrets'], { folder })).secrets.map(
        ({ name }: { name: string }) => name,
      ),
      ['TOKEN'],
    )

    assert.equal((await get(first.url, '/fail')).status, 500)
    for (const from of [folder, join(folder, 'functions')]) {
      const { out } = await setup.svc(['functions', 'logs'], { folder: from })
      assert.match(out, /on line two\n +at fail \(src\/fail\.ts:2:/)
    }
    const unknown = await setup.svc(['functions', 'rollback', 'v9'], { folder })
    assert.deepEqual([unknown.code, /Available: v2, v1/.test(unknown.err)], [2, true], unknown.err)

    const back = await setup.json(['functions', 'rollback'], { folder })
    assert.equal(back.version, 3)
    assert.deepEqual(JSON.parse((await get(first.url, '/')).body), { hello: 'guest' })
    assert.equal((await setup.json(['functions', 'status'], { folder })).version, 3)
  })

  test('a command that cannot work names the command that helps', async () => {
    await setup.json(['functions', 'init', 'api', '--starter', 'hono'], { folder })
    for (const [args, fix] of [
      [['deploy', 'api'], /npm install --prefix .*api/],
      [['deploy', 'public'], /functions init/],
      [['secrets', 'delete', 'NONE'], /functions secrets/],
      [['db', 'query', 'NONE', 'SELECT 1'], /deployed database binding from wrangler\.jsonc/],
      [['db', 'migrate', 'NONE'], /functions db migrate NONE <folder>/],
    ] as const) {
      const { code, err } = await setup.svc(['functions', ...args], { folder })
      assert.notEqual(code, 0)
      assert.match(err, fix)
    }
  })

  test('the value of a secret is read from standard input', async () => {
    const args = ['functions', 'secrets', 'set', 'PIPED', '--file', '-']
    const child = launch(args, { folder, variables: setup.own })
    child.stdin.end('from a pipe\n')
    assert.deepEqual(await once(child, 'exit'), [0, null])
    const { secrets } = await setup.json(['functions', 'status'], { folder })
    assert.ok(secrets.includes('PIPED'))
  })

  test('log lines leave our frames out, and keep the bracket before the properties of an error', () => {
    const frame = '    at fetch (svc-wrap.js:46:9)'
    const line = { id: '1', at: '2026-01-01T10:20:30.000Z', level: 'error' as const, requestId: null }
    const message = `Error: a\n    at go (index.js:1:2)\n${frame} {\n  [cause]: Error: b\n${frame}\n}`
    assert.equal(
      lineText({ ...line, message }, undefined),
      '10:20:30 error Error: a\n    at go (index.js:1:2) {\n  [cause]: Error: b\n}',
    )
  })

  test('[FUN-05] dev deploys every change, shows the log, and names the source lines of errors', async (t) => {
    await setup.json(['functions', 'init', 'dev'], { folder })
    const prints = follow(t, ['functions', 'dev', 'dev'], { folder, variables: setup.own })
    const write = (code: string, name = 'index.ts') => writeFile(join(folder, 'dev/src', name), code)

    const url = await prints(/is live {3}(\S+)/)
    assert.equal((await get(url, '/')).status, 200)
    await prints(/is live/, async () => {
      await write('export const answer = (): string => "changed"', 'answer.ts')
      await write(`import { answer } from './answer.ts'
export default { fetch() {
  console.log('asked')
  if (answer() !== 'changed') throw new Error('an error')
  return new Response(answer())
} }`)
    })
    await prints(/ log +asked/, async () => assert.equal((await get(url, '/')).body, 'changed'))
    await prints(/is live/, () => write('export const answer = (): string => "again"', 'answer.ts'))
    await prints(/an error\n +at \S*fetch \(src\/index\.ts:4:/, () => get(url, '/'))

    await prints(/src\/answer\.ts:1:29: /, () => write('export const answer = () => )', 'answer.ts'))
    await prints(/src\/answer\.ts:2:\d+: .*at the top/, () =>
      write('export const answer = () => ""\nthrow new Error("at the top")', 'answer.ts'),
    )
    await prints(/is live/, () => write('export const answer = () => "changed"', 'answer.ts'))
    assert.equal((await get(url, '/')).body, 'changed')
  })

  test('[FUN-05] promote says what it leaves; --functions promotes them, without hosting, too', async () => {
    await setup.json(['functions', 'deploy', 'functions'], { folder })
    await setup.svc(['functions', 'secrets', 'set', 'PAY_KEY', '--file', '-'], { folder, input: 'x' })
    const asked = await setup.svc(['promote', '--functions'], { folder })
    assert.match(asked.out, /functions: v\d+ from development; their data is not copied/)
    assert.match(asked.out, /secrets are not copied; production has no .*PAY_KEY/)
    assert.match(asked.out, /→ svc functions secrets set PAY_KEY --env production/)
    const { to, missingSecrets } = await setup.json(['promote', '--functions', '--yes'], { folder })
    assert.deepEqual(
      [to.env, to.functionsVersion, missingSecrets.includes('PAY_KEY')],
      ['production', 1, true],
    )
    const status = await setup.json(['functions', '--env', 'production'], { folder })
    assert.deepEqual([status.enabled, status.version], [true, 1])
    assert.equal((await get(status.url, '/')).status, 200)

    await setup.json(['config', 'push'], { folder })
    await setup.json(['deploy'], { folder })
    const left = await setup.svc(['promote'], { folder })
    assert.match(left.out, /functions: not promoted \(v\d+ is live in development\); add --functions/)
    assert.match(left.out, /secrets are not copied; production has no .*PAY_KEY/)
  })

  test('[FUN-11] read wrangler.toml, migrate and query its database', async () => {
    const project = join(folder, 'scores')
    await mkdir(join(project, 'migrations'), { recursive: true })
    await writeFile(
      join(project, 'wrangler.toml'),
      `name = "scores"\nmain = "index.js"\nroutes = ["example.com/*"]\n\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "Scores"\n`,
    )
    await writeFile(join(project, 'index.js'), 'export default { fetch: () => new Response("toml") }')
    await writeFile(join(project, 'migrations/0001.sql'), 'create table scores (n);')
    const { out } = await setup.svc(['functions', 'deploy', 'scores'], { folder })
    assert.match(out, /not supported by svc: routes/)
    const applied = await setup.json(['functions', 'db', 'migrate', 'DB', 'scores/migrations'], { folder })
    assert.deepEqual(applied, { applied: ['0001.sql'], failed: [], skipped: [] })
    const { results } = await setup.json(
      ['functions', 'db', 'query', 'DB', 'select count(*) as n from scores'],
      { folder },
    )
    assert.deepEqual(results, [{ n: 0 }])
    const wrong = await setup.svc(['functions', 'db', 'query', 'DB', 'selec'], { folder })
    assert.deepEqual([wrong.code, /near "selec": syntax error/.test(wrong.err)], [4, true], wrong.err)
  })

  test('[FUN-17] deploy and promote list migrations that are not applied; --migrate applies them before the version is live', async () => {
    await setup.json(['new', 'migrated', '--no-install'])
    const game = join(setup.root, 'migrated')
    const functions = join(game, 'functions')
    await mkdir(join(functions, 'migrations'), { recursive: true })
    await writeFile(
      join(functions, 'wrangler.toml'),
      'name = "scores"\nmain = "index.js"\n\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "Scores"\n',
    )
    await writeFile(
      join(functions, 'index.js'),
      `export default { async fetch(_, { DB }) {
        return Response.json(await DB.prepare('select count(*) as n from scores').first()) } }`,
    )
    await writeFile(join(functions, 'migrations/0001.sql'), 'create table scores (n);')
    const run = (...command: string[]) => setup.json(command, { folder: game })

    const left = await setup.svc(['functions', 'deploy'], { folder: game })
    assert.match(left.out, /development has not applied 1 migration of DB[\s\S]* 0001\.sql[\s\S]*--migrate/)
    assert.deepEqual((await run('functions', 'deploy')).pendingMigrations, ['0001.sql'])
    const deployed = await run('functions', 'deploy', '--migrate')
    assert.deepEqual(deployed.pendingMigrations, [])
    assert.equal((await get(deployed.url, '/')).body, '{"n":0}')

    const asked = await setup.svc(['promote', '--functions'], { folder: game })
    assert.match(asked.out, /production has not applied 1 migration of DB[\s\S]* 0001\.sql/)
    const { to, pendingMigrations } = await run('promote', '--functions', '--yes', '--migrate')
    assert.deepEqual([to.functionsVersion, pendingMigrations], [1, []])
    const production = await run('functions', '--env', 'production')
    assert.equal((await get(production.url, '/')).body, '{"n":0}')

    await writeFile(join(functions, 'migrations/0002.sql'), 'selec')
    const failed = await setup.svc(['functions', 'deploy', '--migrate'], { folder: game })
    assert.match(failed.out + failed.err, /0002\.sql: .*syntax error[\s\S]*A migration failed/)
    assert.equal((await run('functions')).version, deployed.version)
    // Only what development has applied belongs to its version.
    assert.deepEqual((await run('promote', '--functions', '--yes')).pendingMigrations, [])
  })
})

test('wrangler.jsonc is read for main, bindings, vars, crons and the date', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-wrangler-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(
    join(folder, 'wrangler.jsonc'),
    `{ // comment
      "main": "src/index.ts", /* "main": 1 */ "compatibility_date": "2026-01-01",
      "vars": { "A": "http://x//y", "N": 1, "O": { "list": [true] }, },
      "triggers": { "crons": ["* * * * *"] },
      "kv_namespaces": [{ "binding": "KV", "id": "0123" }],
      "r2_buckets": [{ "binding": "FILES", "bucket_name": "My Files" }],
      "queues": { "producers": [{ "binding": "JOBS", "queue": "jobs" }],
        "consumers": [{ "queue": "jobs", "max_retries": 2, "dead_letter_queue": "dead" }] },
      "durable_objects": { "bindings": [{ "name": "ROOM", "class_name": "Room" }, { "name": "FAR", "class_name": "Far", "script_name": "other" }] },
      "compatibility_flags": ["nodejs_compat", "no_global_navigator"],
      "name": "all",
      "services": [{ "binding": "SELF", "service": "all" }, { "binding": "ADMIN", "service": "all", "entrypoint": "Admin" }],
      "assets": { "directory": "./public", "not_found_handling": "single-page-application", "run_worker_first": ["/api/*"] },
      "d1_databases": [{ "binding": "DB", "database_name": "db", "migrations_dir": "drizzle/out", "migrations_table": "done" }],
      "build": { "command": "make" },
      "ai": { "binding": "AI" },
      "rules": [{ "type": "Text", "globs": ["**/*.md"] }, { "type": "ESModule", "globs": ["**/*.js"] }, { "type": "PythonModule", "globs": ["*.py"] }],
    }`,
  )
  assert.deepEqual(await readFunctionsProject(folder), {
    folder,
    main: join(folder, 'src/index.ts'),
    bindings: [
      { type: 'db', name: 'DB', id: 'db' },
      { type: 'kv', name: 'KV' },
      { type: 'files', name: 'FILES', id: 'my-files' },
      { type: 'queue', name: 'JOBS', queue: 'jobs', consumer: { maxRetries: 2, deadLetterQueue: 'dead' } },
      { type: 'durable_object', name: 'ROOM', className: 'Room' },
      { type: 'durable_object', name: 'FAR', className: 'Far' },
      { type: 'service', name: 'SELF' },
      { type: 'service', name: 'ADMIN', entrypoint: 'Admin' },
      { type: 'assets', name: 'ASSETS' },
    ],
    assets: {
      folder: join(folder, 'public'),
      binding: 'ASSETS',
      options: { notFoundHandling: 'single-page-application', runWorkerFirst: ['/api/*'] },
    },
    build: { command: 'make', folder, watched: join(folder, 'src') },
    migrations: new Map([['DB', { folder: join(folder, 'drizzle/out'), table: 'done' }]]),
    vars: { A: 'http://x//y', N: 1, O: { list: [true] } },
    rules: [{ type: 'text', globs: ['**/*.md'] }],
    crons: ['* * * * *'],
    compatibilityDate: '2026-01-01',
    unsupported: [
      'ai',
      'compatibility_flags no_global_navigator',
      'rules of type PythonModule',
      'durable_objects.bindings FAR.script_name',
    ],
  })
  assert.equal(withoutComments('{"a":"// kept",}'), '{"a":"// kept"}')
})

test('a wrangler file that svc cannot follow is refused with advice in its own language', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-wrangler-'))
  t.after(() => rm(folder, { recursive: true }))
  const refusal = async (name: string, content: string) => {
    await writeFile(join(folder, name), content)
    const error = await readFunctionsProject(folder).then(
      () => assert.fail(),
      (reason: Failure) => reason,
    )
    await rm(join(folder, name))
    return `${error.message} ${error.fix}`
  }
  assert.match(
    await refusal('wrangler.toml', 'name = "a"'),
    /svc functions deploy src\/index\.ts\. Or add main = "src/,
  )
  assert.match(await refusal('wrangler.json', '{}'), /Or add "main": "src\/index\.ts" to wrangler\.json/)
  const other = '{ "name": "a", "main": "a.js", "services": [{ "binding": "B", "service": "b" }] }'
  assert.match(
    await refusal('wrangler.json', other),
    /B calls b, and an environment has one service: a\. Move/,
  )
  const odd = '{ "main": "a.js", "assets": { "directory": ".", "html_handling": "x" } }'
  assert.match(await refusal('wrangler.json', odd), /assets\.html_handling must be one of auto/)
})
