import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'

import { type Service, startService } from '../src/testing/service.ts'
import { operate } from './operator.ts'

let service: Service
before(async () => void (service = await startService('sqlite')))
after(() => service.stop())

const socket = () => join(service.dataDir, 'operator.sock')

test('operator commands work while the service runs on SQLite', async () => {
  await service.newProject()

  const verified = await operate(service, 'audit', 'verify')
  assert.deepEqual([verified.code, verified.errors], [0, ''])
  assert.match(verified.output, /^\d+ entries of 1 projects, 0 chains broken\n$/)

  const rotated = await operate(service, 'secret', 'rotate')
  assert.deepEqual([rotated.code, rotated.errors], [0, ''])
  assert.match(rotated.output, /^0 re-encrypted, \d+ already current, 0 unreadable\n$/)

  const saved = join(service.dataDir, 'saved.tar')
  assert.equal((await operate(service, 'backup', saved)).code, 0)
})

test('a key rotation with a key that the running service does not have is rejected', async () => {
  const variables = { SVC_SECRET_KEY: 'cd'.repeat(32) }
  const { code, output, errors } = await operate({ ...service, variables }, 'secret', 'rotate')

  assert.deepEqual([code, output], [1, ''])
  assert.match(errors, /^The running service .* SVC_SECRET_KEY/)
})

test('[AGT-41] an operator adds, lists and removes clients of agents', async () => {
  const uri = 'http://127.0.0.1/callback'
  const added = await operate(service, 'agents', 'client', 'add', 'My editor', uri)
  assert.deepEqual([added.code, added.errors], [0, ''])
  const id = added.output.split('\n')[0] ?? ''
  assert.match(id, /^agc_/)
  const listed = await operate(service, 'agents', 'client', 'list')
  assert.equal(listed.output, `${id}  My editor  ${uri}\n`)
  assert.equal((await operate(service, 'agents', 'client', 'remove', id)).code, 0)
  assert.equal((await operate(service, 'agents', 'client', 'remove', id)).code, 1)
  const wrong = await operate(service, 'agents', 'client', 'add', 'My editor', 'http://app.example/back')
  assert.equal(wrong.code, 1)
  assert.match(wrong.errors, /is not an https URL/)
  assert.equal((await operate(service, 'agents', 'client', 'add', 'My editor')).code, 2)
})

test('only the user who runs the service may connect to it', () => {
  assert.equal(statSync(socket()).mode & 0o777, 0o600)
})

test('invalid input of any size is answered with an error, and the service continues', async () => {
  for (const sent of [
    'nonsense\n',
    '{}\n',
    '{"name":"rm"}\n',
    '[]\n',
    `${'x'.repeat(3_000_000)}\n`,
    '{"name":',
  ]) {
    const client = connect(socket())
    client.on('error', () => {})
    client.end(sent)
    assert.doesNotMatch(await text(client).catch(() => ''), /"exit":0/, sent.slice(0, 20))
  }
  assert.equal((await operate(service, 'audit', 'verify')).code, 0)
})

test('after the service has stopped or was killed, the same commands open the data folder directly', async (t) => {
  const other = await startService('sqlite')
  t.after(() => other.stop())
  await other.newProject()
  await other.close()
  assert.equal((await operate(other, 'audit', 'verify')).code, 0)

  // A killed service leaves a socket without a listener.
  await writeFile(join(other.dataDir, 'operator.sock'), '')
  assert.match((await operate(other, 'audit', 'verify')).output, /entries of 1 projects/)
})
