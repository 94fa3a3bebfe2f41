import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { freePort, startServer } from '../../server/test/server-process.ts'
import { type TestSetup, launch, startTestSetup } from './cli.ts'

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
  await setup.json(['new', 'game', '--no-install'])
})
after(() => setup.stop())

describe('svc backup and svc restore', () => {
  const key = { SVC_BACKUP_KEY: 'ab'.repeat(32) }
  const data = () => ({ SVC_DATA_DIR: setup.dataDir, ...key })

  test('the copy of a running service starts as the same service', async () => {
    const saved = join(setup.root, 'saved: monday.tar')
    const { code, out, err } = await setup.svc(['backup', saved], { variables: data() })
    assert.equal(code, 0, err)
    assert.match(out, / wrote .* and verified it\. It is sealed/)
    assert.equal((await stat(saved)).mode & 0o777, 0o600)

    const checked = await setup.svc(['restore', saved, '--check'], { variables: data() })
    assert.equal(checked.code, 0, checked.err)
    assert.match(checked.out + checked.err, /tables with \d+ rows.*It is complete, and this program/s)

    const variables = { SVC_DATA_DIR: join(setup.root, 'restored'), ...key }
    const restored = await setup.svc(['restore', saved], { variables })
    assert.equal(restored.code, 0, restored.err)
    const copy = await startServer(variables)
    const { services } = JSON.parse(await readFile(join(setup.home, '.config/svc/credentials.json'), 'utf8'))
    const answer = await fetch(`http://127.0.0.1:${copy.port}/v1/projects`, {
      headers: { authorization: `Bearer ${services[setup.url].token}` },
    })
    const { projects } = (await answer.json()) as { projects: { name: string }[] }
    copy.signal('SIGTERM')
    await copy.ended
    assert.deepEqual(
      projects.map(({ name }) => name),
      ['Game'],
    )
  })

  test('existing files are never overwritten', async () => {
    const file = join(setup.root, 'there.tar')
    await writeFile(file, 'mine')
    const again = await setup.svc(['backup', file], { variables: data() })
    assert.equal(again.code, 1)
    assert.match(again.err, /already exists/)
    assert.equal(await readFile(file, 'utf8'), 'mine')

    const over = await setup.svc(['restore', file], { variables: data() })
    assert.equal(over.code, 1)
    assert.match(over.err, /is not empty/)
  })

  test('a file that is not a backup is rejected, and no folder is left', async () => {
    const file = join(setup.root, 'other.tar')
    await writeFile(file, 'not a tar file at all')
    const variables = { SVC_DATA_DIR: join(setup.root, 'never') }
    assert.equal((await setup.svc(['restore', file], { variables })).code, 1)
    assert.equal((await setup.svc(['restore', join(setup.root, 'missing.tar')], { variables })).code, 1)
    await assert.rejects(stat(variables.SVC_DATA_DIR))

    await mkdir(join(setup.root, 'empty'))
    const empty = { SVC_DATA_DIR: join(setup.root, 'empty') }
    const { code, err } = await setup.svc(['backup', join(setup.root, 'x.tar')], { variables: empty })
    assert.equal(code, 1)
    assert.match(err, /There is no database in/)
  })

  test('--json prints one document for success and for failure', async () => {
    const file = join(setup.root, 'told.tar')
    const variables = { SVC_DATA_DIR: setup.dataDir }
    const { notes } = await setup.json(['backup', file], { variables })
    assert.match(notes.join(), /^Not in this backup, store separately: .*secret\.key/)
    const again = await setup.svc(['backup', file, '--json'], { variables: data() })
    assert.deepEqual([again.code, JSON.parse(again.out).error.code], [1, 'server_failed'])
    assert.match(JSON.parse(again.out).error.message, /already exists/)
  })

  test('with PostgreSQL that cannot be reached it says so', async () => {
    const variables = { ...data(), DATABASE_URL: 'postgres://127.0.0.1:1/none' }
    const { code, err } = await setup.svc(['backup', join(setup.root, 'pg.tar')], { variables })

    assert.equal(code, 1)
    assert.match(err, /PostgreSQL cannot be reached.*DATABASE_URL/)
  })
})

test('svc start runs until it is stopped, without a warning about the variables of svc', async () => {
  const variables = {
    ...setup.own,
    SVC_KEY: 'sk_dev_00000000000000000000000000000000',
    SVC_DATA_DIR: join(setup.root, 'started'),
    PORT: String(await freePort()),
    TURN_PORT: '0',
    LOG_LEVEL: 'error',
  }
  const started = launch(['start'], { folder: setup.root, variables })
  let said = ''
  for await (const chunk of started.stdout.setEncoding('utf8')) {
    said += String(chunk)
    if (said.includes('Mail')) break
  }
  started.kill('SIGTERM')
  const [code] = await once(started, 'exit')

  assert.match(said, /svc \d.* ready in/)
  assert.doesNotMatch(said, /is not a setting/)
  assert.equal(code, 0)
})
