import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import { s3Credentials, startS3Server } from '../../testing/s3-server.ts'
import type { Blobs } from './blobs.ts'
import { openBlobs } from './open.ts'
import { INCOMING } from './spool.ts'

const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')

for (const engine of ['files', 's3'] as const) {
  describe(`blobs on ${engine}`, () => {
    let dataDir: string
    let server: Awaited<ReturnType<typeof startS3Server>> | undefined
    let blobs: Blobs

    before(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'svc-blobs-'))
      server = engine === 's3' ? await startS3Server() : undefined
      blobs = await openBlobs({ dataDir, url: server?.url, credentials: s3Credentials })
    })
    after(async () => {
      await blobs.close()
      await server?.close()
      await rm(dataDir, { recursive: true })
    })

    const contentOf = async (key: string) => {
      const blob = await blobs.open(key)
      return blob && text(blob.stream)
    }
    const keysOf = async (prefix: string) => (await Array.fromAsync(blobs.list(prefix))).sort()
    const incoming = () => readdir(join(dataDir, 'blobs', INCOMING))

    test('the engine is chosen by the URL', () => {
      assert.equal(blobs.engine, engine)
    })

    test('a stored blob is read back complete, with its size and hash', async () => {
      const bytes = Buffer.alloc(300_000, 'svc')
      assert.deepEqual(await blobs.put('whole/a.bin', bytes), { size: 300_000, sha256: hashOf(bytes) })
      assert.deepEqual(await blobs.stat('whole/a.bin'), { size: 300_000 })

      const blob = await blobs.open('whole/a.bin')
      assert.equal(blob?.size, 300_000)
      assert.ok(bytes.equals(await buffer(blob.stream)))
    })

    test('a stream is put like a buffer, and a second put replaces the first', async () => {
      await blobs.put('stream/x', Readable.from([Buffer.from('one '), Buffer.from('two')]))
      assert.equal(await contentOf('stream/x'), 'one two')

      await blobs.put('stream/x', Readable.from(['three']))
      assert.equal(await contentOf('stream/x'), 'three')
    })

    test('an empty blob can be stored and read', async () => {
      await blobs.put('empty/buffer', Buffer.alloc(0))
      await blobs.put('empty/stream', Readable.from([]))
      assert.deepEqual(await blobs.stat('empty/buffer'), { size: 0 })
      assert.equal(await contentOf('empty/stream'), '')
    })

    test('an unknown blob is undefined, and removing it is not an error', async () => {
      assert.equal(await blobs.open('nothing/here'), undefined)
      assert.equal(await blobs.stat('nothing/here'), undefined)
      await blobs.remove('nothing/here')
    })

    test('a removed blob is gone', async () => {
      await blobs.put('gone/x', Buffer.from('x'))
      await blobs.remove('gone/x')
      assert.equal(await blobs.open('gone/x'), undefined)
    })

    test('a range gives its bytes, both ends included, and the size of the whole', async () => {
      await blobs.put('range/digits', Buffer.from('0123456789'))
      const middle = await blobs.open('range/digits', { start: 2, end: 5 })
      assert.equal(middle?.size, 10)
      assert.equal(await text(middle.stream), '2345')

      const tail = await blobs.open('range/digits', { start: 8, end: 99 })
      assert.equal(tail?.size, 10)
      assert.equal(await text(tail.stream), '89')
    })

    test('a range outside the blob is an Error', async () => {
      await blobs.put('range/three', Buffer.from('012'))
      await assert.rejects(blobs.open('range/three', { start: 3, end: 3 }), /bytes 3 to 3/)
    })

    test('list gives every key with the prefix and no other', async () => {
      for (const key of ['list/a/1', 'list/a/2', 'list/ab', 'list/b/c/d', 'other/a']) {
        await blobs.put(key, Buffer.from(key))
      }
      assert.deepEqual(await keysOf('list/'), ['list/a/1', 'list/a/2', 'list/ab', 'list/b/c/d'])
      assert.deepEqual(await keysOf('list/a'), ['list/a/1', 'list/a/2', 'list/ab'])
      assert.deepEqual(await keysOf('list/b/'), ['list/b/c/d'])
      assert.deepEqual(await keysOf('nobody/'), [])
      assert.ok((await keysOf('')).includes('other/a'))
    })

    test('list continues after the 1,000 keys of one page', async () => {
      const keys = Array.from({ length: 1_003 }, (_, number) => `pages/${String(number).padStart(4, '0')}`)
      for (let from = 0; from < keys.length; from += 50) {
        await Promise.all(keys.slice(from, from + 50).map((key) => blobs.put(key, Buffer.from(key))))
      }
      assert.deepEqual(await keysOf('pages/'), keys)
    })

    test('invalid keys throw an Error', async () => {
      const keys = [
        '',
        '/a',
        'a/',
        'a//b',
        '..',
        'a/../b',
        '.',
        'a/./b',
        'a..b',
        'a b',
        'a\\b',
        'ä',
        'a\0',
        '~incoming/x',
        'a?b',
        'a%2e',
      ]
      for (const key of [...keys, 'a'.repeat(513)]) {
        await assert.rejects(async () => blobs.put(key, Buffer.from('x')), /not a blob key/)
        await assert.rejects(async () => blobs.open(key), /not a blob key/)
        await assert.rejects(async () => blobs.stat(key), /not a blob key/)
        await assert.rejects(async () => blobs.remove(key), /not a blob key/)
      }
      assert.throws(() => blobs.list('../'), /not a blob key/)
    })

    test('a body with another size or hash than announced is rejected and not stored', async () => {
      const refusal = (reason: string) => (error: { code?: string; details?: { reason?: string } }) =>
        error.code === 'invalid_request' && error.details?.reason === reason
      const bodies = [() => Buffer.from('svc'), () => Readable.from([Buffer.from('sv'), Buffer.from('c')])]
      for (const body of bodies) {
        await assert.rejects(blobs.put('expected/x', body(), { size: 2 }), refusal('size_mismatch'))
        await assert.rejects(blobs.put('expected/x', body(), { size: 4 }), refusal('size_mismatch'))
        await assert.rejects(
          blobs.put('expected/x', body(), { sha256: hashOf('else') }),
          refusal('hash_mismatch'),
        )
        assert.equal(await blobs.stat('expected/x'), undefined)
      }
      assert.deepEqual(await incoming(), [])

      await blobs.put('expected/x', Buffer.from('svc'), { size: 3, sha256: hashOf('svc') })
      assert.equal(await contentOf('expected/x'), 'svc')
    })

    test('an aborted stream stores nothing, and the existing blob stays', async () => {
      await blobs.put('abort/old', Buffer.from('old'))
      for (const key of ['abort/old', 'abort/new']) {
        const aborted = Readable.from(
          (async function* () {
            yield Buffer.alloc(100_000)
            throw new Error('the sender aborted')
          })(),
        )
        await assert.rejects(blobs.put(key, aborted), /the sender aborted/)
      }
      assert.equal(await contentOf('abort/old'), 'old')
      assert.equal(await blobs.stat('abort/new'), undefined)
      assert.deepEqual(await incoming(), [])
    })

    test('a blob is not visible before it is complete', async () => {
      const body = new Readable({ read() {} })
      const put = blobs.put('late/x', body)
      body.push('first half, ')
      while ((await incoming()).length === 0) await new Promise(setImmediate)
      assert.equal(await blobs.stat('late/x'), undefined)
      assert.deepEqual(await keysOf('late/'), [])

      body.push('second half')
      body.push(null)
      await put
      assert.equal(await contentOf('late/x'), 'first half, second half')
    })

    test('concurrent puts of one key store one of them completely', async () => {
      const bodies = Array.from({ length: 8 }, (_, number) => String(number).repeat(50_000))
      await Promise.all(bodies.map((body) => blobs.put('race/x', Buffer.from(body))))
      assert.ok(bodies.includes((await contentOf('race/x')) ?? ''))
    })

    test('incomplete files of a killed process are removed at open, files that are still being written are not', async () => {
      const [orphan, recent] = ['orphan', 'recent'].map((name) => join(dataDir, 'blobs', INCOMING, name))
      assert.ok(orphan && recent)
      await writeFile(orphan, 'half')
      await writeFile(recent, 'half')
      await utimes(orphan, 0, 0)

      await (await openBlobs({ dataDir, url: server?.url, credentials: s3Credentials })).close()

      assert.deepEqual(await incoming(), ['recent'])
      await rm(recent)
    })

    test('ping answers', () => blobs.ping())
  })
}
