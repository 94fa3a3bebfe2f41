import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, describe, test } from 'node:test'

import fc from 'fast-check'

import { systemRandom } from '../random.ts'
import { createSecretKeys, createVault, parseSecretKeys, readSecretKeys } from './vault.ts'

const oldKey = Buffer.alloc(32, 1)
const newKey = Buffer.alloc(32, 2)
const vaultOf = (current: Buffer, ...previous: Buffer[]) => createVault({ current, previous }, systemRandom)

describe('the vault', () => {
  const vault = vaultOf(oldKey)

  test('decrypts any text that it encrypted', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(fc.property(text, text, (id, plain) => vault.open(id, vault.seal(id, plain)) === plain))
  })

  test('never encrypts a text to the same bytes twice', () => {
    assert.notEqual(vault.seal('a', 'same'), vault.seal('a', 'same'))
  })

  test('does not decrypt a text of another record', () => {
    assert.throws(
      () => vault.open('b', vault.seal('a', 'x')),
      /of b was changed, or belongs to another record/,
    )
  })

  test('does not decrypt with another key, and reports it', () => {
    assert.throws(() => vaultOf(newKey).open('a', vault.seal('a', 'x')), /encrypted with another secret key/)
  })

  test('does not decrypt a text with one changed bit', () => {
    const [keyId, box = ''] = vault.seal('a', 'secret').split('.')
    const bytes = Buffer.from(box, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.throws(() => vault.open('a', `${keyId}.${changed.toString('base64url')}`), /was changed/)
    }
  })

  test('does not decrypt a truncated text', () => {
    const sealed = vault.seal('a', 'secret')
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => vault.open('a', sealed.slice(0, length)))
    }
  })

  test('encrypts with the current key and decrypts with the previous ones too', () => {
    const rotating = vaultOf(newKey, oldKey)
    const sealedBefore = vault.seal('a', 'x')

    assert.equal(rotating.open('a', sealedBefore), 'x')
    assert.equal(rotating.isCurrent(sealedBefore), false)
    assert.equal(rotating.isCurrent(rotating.seal('a', 'x')), true)
    assert.equal(vaultOf(newKey).open('a', rotating.seal('a', 'x')), 'x')
  })
})

describe('the text of a secret key', () => {
  test('is base64, base64url or hex of 32 bytes, or several of them', () => {
    const bytes = systemRandom.bytes(32)
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      assert.deepEqual(parseSecretKeys(bytes.toString(encoding)), { current: bytes, previous: [] })
    }
    const two = `${newKey.toString('hex')}, ${oldKey.toString('base64')}\n`
    assert.deepEqual(parseSecretKeys(two), { current: newKey, previous: [oldKey] })
  })

  for (const text of ['', 'password', 'ab'.repeat(31), 'ab'.repeat(33), `${'ab'.repeat(32)},x`]) {
    test(`is not ${JSON.stringify(text)}`, () => assert.equal(parseSecretKeys(text), undefined))
  }
})

describe('loading the secret key', () => {
  /** As the service does. */
  const load = async (dataDir: string, fromEnvironment?: string) =>
    (await readSecretKeys({ fromEnvironment, dataDir })) ?? createSecretKeys(dataDir, systemRandom)

  async function emptyFolder(t: TestContext) {
    const folder = await mkdtemp(join(tmpdir(), 'svc-vault-'))
    t.after(() => rm(folder, { recursive: true }))
    return folder
  }

  test('creates a key file that only its owner may read at the first start, and reads it at the second', async (t) => {
    const dataDir = join(await emptyFolder(t), 'made', 'here')
    const first = await load(dataDir)

    assert.equal((await stat(join(dataDir, 'secret.key'))).mode & 0o777, 0o600)
    assert.deepEqual(await load(dataDir), first)
  })

  test('gives the same key to concurrent starts', async (t) => {
    const dataDir = await emptyFolder(t)
    const starts = await Promise.all(Array.from({ length: 10 }, () => load(dataDir)))

    assert.equal(new Set(starts.map(({ current }) => current.toString('hex'))).size, 1)
    assert.deepEqual(await readdir(dataDir), ['secret.key'])
  })

  test('prefers SVC_SECRET_KEY and then creates no file', async (t) => {
    const dataDir = await emptyFolder(t)
    assert.deepEqual((await load(dataDir, oldKey.toString('hex'))).current, oldKey)
    assert.deepEqual(await readdir(dataDir), [])
  })

  test('rejects a key file that others may read, and prints the command that fixes it', async (t) => {
    const dataDir = await emptyFolder(t)
    const path = join(dataDir, 'secret.key')
    await load(dataDir)
    await chmod(path, 0o640)

    await assert.rejects(load(dataDir), new RegExp(`Run: chmod 600 ${path}`))
  })

  test('rejects a damaged key file with its path and does not change it', async (t) => {
    const dataDir = await emptyFolder(t)
    const path = join(dataDir, 'secret.key')
    await writeFile(path, 'half a k', { mode: 0o600 })

    await assert.rejects(load(dataDir), new RegExp(`${path} must contain 32 bytes`))
    assert.equal(await readFile(path, 'utf8'), 'half a k')
  })
})
