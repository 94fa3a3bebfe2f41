import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { setTimeout as timer } from 'node:timers/promises'

import { ApiError } from '../api-error.ts'
import { type Random, systemRandom } from '../random.ts'
import { createPasswords } from './passwords.ts'

const cheap = { memoryKiB: 64, passes: 1, parallelism: 1 }
const passwords = createPasswords(systemRandom, { work: cheap })

describe('a password hash', () => {
  test('is argon2id with the parameters OWASP advises, in PHC format', async () => {
    const hash = await createPasswords(systemRandom).hash('correct horse')
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  })

  test('is the result of argon2id for its salt', async () => {
    const random: Random = { bytes: (count) => Buffer.alloc(count, 7) }
    const hash = await createPasswords(random, { work: cheap }).hash('x')
    const tag = argon2Sync('argon2id', {
      message: 'x',
      nonce: Buffer.alloc(16, 7),
      memory: 64,
      passes: 1,
      parallelism: 1,
      tagLength: 32,
    })
    assert.equal(Buffer.from(hash.split('$').at(-1) ?? '', 'base64').equals(tag), true)
  })

  test('matches only its own password, and no two hashes are equal', async () => {
    const hash = await passwords.hash('correct horse')

    assert.equal(await passwords.verify('correct horse', hash), true)
    assert.equal(await passwords.verify('correct horsf', hash), false)
    assert.equal(await passwords.verify('', hash), false)
    assert.notEqual(await passwords.hash('correct horse'), hash)
  })

  test('matches every Unicode composition of a letter', async () => {
    assert.equal(await passwords.verify('cafe\u0301', await passwords.hash('caf\u00e9')), true)
  })

  test('made with other parameters still matches and is marked for a rehash', async () => {
    const earlier = await createPasswords(systemRandom, { work: { ...cheap, memoryKiB: 32 } }).hash('x')

    assert.equal(await passwords.verify('x', earlier), true)
    assert.equal(passwords.needsRehash(earlier), true)
    assert.equal(passwords.needsRehash(await passwords.hash('x')), false)
  })

  test('that is malformed throws instead of accepting the password', async () => {
    await assert.rejects(passwords.verify('x', 'plain text'), /not argon2id/)
  })
})

describe('the pool of hashes', () => {
  test('an account without a password waits in the same queue as a wrong password, and is never accepted', async () => {
    const one = createPasswords(systemRandom, { work: cheap, concurrentMax: 1 })
    const hash = await one.hash('x')
    const order: string[] = []
    const verify = async (name: string, stored: string | null) => {
      assert.equal(await one.verify('wrong', stored), false)
      order.push(name)
    }

    await Promise.all([verify('known', hash), verify('unknown', null), verify('known again', hash)])
    assert.deepEqual(order, ['known', 'unknown', 'known again'])
  })

  test('an account without a password costs a hash of the same parameters', async () => {
    // Impossible parameters prove it: argon2 itself rejects them.
    const impossible = createPasswords(systemRandom, { work: { ...cheap, passes: 0 } })
    await assert.rejects(impossible.verify('x', null), /passes/)
  })

  test('with 200 hashes queued a file is read and a timer fires while most of them still wait', async () => {
    let done = 0
    const busy = createPasswords(systemRandom, { work: { ...cheap, memoryKiB: 4_096 }, waitingMax: 200 })
    const hashes = Array.from({ length: 200 }, () => busy.hash('x').then(() => void done++))

    await readFile(import.meta.filename)
    assert.ok(done < 100, `the file was read after ${done} hashes`)
    await timer(1)
    assert.ok(done < 100, `the timer fired after ${done} hashes`)

    await Promise.all(hashes)
    assert.equal(done, 200)
  })

  test('[GEN-09] a full queue answers rate_limited; queued calls run in order, then more are accepted', async () => {
    const small = createPasswords(systemRandom, { work: cheap, concurrentMax: 1, waitingMax: 2 })
    const order: number[] = []
    const answers = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((turn) => small.hash('x').then(() => order.push(turn))),
    )

    assert.deepEqual(order, [1, 2, 3])
    for (const answer of answers.slice(3)) {
      assert.ok(answer.status === 'rejected' && answer.reason instanceof ApiError)
      assert.equal(answer.reason.code, 'rate_limited')
      assert.deepEqual(answer.reason.details, { retryAfterSeconds: 1 })
    }
    assert.equal(await small.verify('x', await small.hash('x')), true)
  })

  test('a hash that fails frees its slot', async () => {
    const one = createPasswords(systemRandom, { work: { ...cheap, passes: 0 }, concurrentMax: 1 })
    await assert.rejects(one.hash('x'))
    await assert.rejects(one.hash('x'))
  })
})
