import assert from 'node:assert/strict'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'

import { type Database, statement } from '../../engines/database/database.ts'
import { openDatabase } from '../../engines/database/open.ts'
import { createStoppedClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { createVault } from '../../platform/security/vault.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { createSecretStore, createSecrets } from './index.ts'

const [oldKey, newKey, strangeKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)]

const secretsOn = (db: Database, current: Buffer, ...previous: Buffer[]) =>
  createSecrets(createSecretStore(db), createVault({ current, previous }, systemRandom), createStoppedClock())

const rows = statement((q) => q.selectFrom('secrets').selectAll().orderBy('id'))
const clear = statement((q) => q.deleteFrom('secrets'))
const overwrite = statement((q, { id, sealed }: { id: string; sealed: string }) =>
  q.updateTable('secrets').set({ sealed }).where('id', '=', id),
)

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`secrets at rest on ${engine}`, () => {
    let db: Database
    let close: () => Promise<void>
    before(async () => void ({ db, close } = await openTestDatabase(engine)))
    beforeEach(() => db.run(clear, {}))
    after(() => close())

    const write = (secrets: ReturnType<typeof secretsOn>, id: string, plaintext: string) =>
      db.transaction((transaction) => secrets.write(transaction, id, plaintext))

    test('secrets are read as last written, until they are removed', async () => {
      const secrets = secretsOn(db, oldKey)
      assert.equal(await secrets.read('smtp'), undefined)

      await write(secrets, 'smtp', 'first')
      await write(secrets, 'smtp', 'pässword \u{1f511}')
      assert.equal(await secrets.read('smtp'), 'pässword \u{1f511}')

      await db.transaction((transaction) => secrets.remove(transaction, 'smtp'))
      assert.equal(await secrets.read('smtp'), undefined)
    })

    test('secrets change only if their transaction is committed', async () => {
      const secrets = secretsOn(db, oldKey)
      await write(secrets, 'smtp', 'kept')
      const failing = db.transaction(async (transaction) => {
        await secrets.write(transaction, 'smtp', 'never')
        throw new Error('the change failed')
      })

      await assert.rejects(failing, /the change failed/)
      assert.equal(await secrets.read('smtp'), 'kept')
    })

    test('secrets cannot be decrypted if the texts of two records are swapped', async () => {
      const secrets = secretsOn(db, oldKey)
      await write(secrets, 'a', 'of a')
      await write(secrets, 'b', 'of b')
      const [a, b] = await db.all(rows, {})
      assert.ok(a && b)
      await db.run(overwrite, { id: 'a', sealed: b.sealed })
      await db.run(overwrite, { id: 'b', sealed: a.sealed })

      await assert.rejects(secrets.read('a'), /belongs to another record/)
      await assert.rejects(secrets.read('b'), /belongs to another record/)
    })

    test('secrets are not in the database in plain text', async () => {
      await write(secretsOn(db, oldKey), 'smtp', 'canary-plaintext')
      assert.doesNotMatch(JSON.stringify(await db.all(rows, {})), /canary-plaintext/)
    })

    test('with a wrong key the start fails, and the message contains the settings to change', async () => {
      await secretsOn(db, oldKey).verifyKey()
      await secretsOn(db, oldKey).verifyKey()
      await secretsOn(db, newKey, oldKey).verifyKey()

      await assert.rejects(secretsOn(db, newKey).verifyKey(), /SVC_SECRET_KEY.*secret\.key/)
    })

    test('concurrent first starts with different keys: only those with one of the keys succeed', async () => {
      const starts = [oldKey, newKey, oldKey, newKey, oldKey].map((key) => secretsOn(db, key).verifyKey())
      const outcomes = (await Promise.allSettled(starts)).map(({ status }) => status)

      const [first, second] = outcomes
      assert.notEqual(first, second)
      assert.deepEqual(outcomes, [first, second, first, second, first])
    })

    test('a rotation encrypts all secrets again while 20 writers write', async () => {
      const before = secretsOn(db, oldKey)
      const rotating = secretsOn(db, newKey, oldKey)
      const expected = new Map<string, string>()
      await before.verifyKey()
      await db.transaction(async (transaction) => {
        for (let index = 0; index < 450; index++) {
          await before.write(transaction, `secret-${index}`, `old ${index}`)
          expected.set(`secret-${index}`, `old ${index}`)
        }
      })

      let isRotating = true
      const writer = async (number: number) => {
        for (let round = 0; isRotating && round < 450; round++) {
          const id = `secret-${number + 20 * (round % 22)}`
          await write(rotating, id, `new ${number} ${round}`)
          expected.set(id, `new ${number} ${round}`)
        }
      }
      const writers = Promise.all(Array.from({ length: 20 }, (_, number) => writer(number)))
      const { unreadable } = await rotating.rotate()
      isRotating = false
      await writers

      assert.equal(unreadable, 0)
      const later = secretsOn(db, newKey)
      await later.verifyKey()
      for (const [id, plaintext] of expected) assert.equal(await later.read(id), plaintext, id)
    })

    test('a second rotation changes nothing', async () => {
      await write(secretsOn(db, oldKey), 'a', 'x')
      await secretsOn(db, oldKey).verifyKey()
      const rotating = secretsOn(db, newKey, oldKey)

      assert.deepEqual(await rotating.rotate(), { resealed: 2, alreadyCurrent: 0, unreadable: 0 })
      const sealed = await db.all(rows, {})
      assert.deepEqual(await rotating.rotate(), { resealed: 0, alreadyCurrent: 2, unreadable: 0 })
      assert.deepEqual(await db.all(rows, {}), sealed)
    })

    test('after a rotation that could not read a secret the old key is still required', async () => {
      await secretsOn(db, oldKey).verifyKey()
      await write(secretsOn(db, strangeKey), 'lost', 'x')
      await write(secretsOn(db, oldKey), 'found', 'x')

      const rotation = await secretsOn(db, newKey, oldKey).rotate()

      assert.deepEqual(rotation, { resealed: 1, alreadyCurrent: 0, unreadable: 1 })
      await assert.rejects(secretsOn(db, newKey).verifyKey(), /SVC_SECRET_KEY/)
    })
  })
}

test('no byte of a secret is in any file of the embedded database', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-secrets-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const db = await openDatabase({ dataDir, clock: createStoppedClock(), log: () => {} })
  const secrets = secretsOn(db, oldKey)
  await db.transaction((transaction) => secrets.write(transaction, 'findable-id', 'canary-plaintext'))

  const contents = async () => {
    const files = (await readdir(dataDir)).filter((name) => name.startsWith('svc.sqlite'))
    return Buffer.concat(await Promise.all(files.map((name) => readFile(join(dataDir, name)))))
  }
  const whileOpen = await contents()
  await db.close()

  for (const bytes of [whileOpen, await contents()]) {
    assert.equal(bytes.includes('canary-plaintext'), false)
    assert.equal(bytes.includes('findable-id'), true)
  }
})
