import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, test } from 'node:test'

import { openFiles } from './files.ts'
import { INCOMING } from './spool.ts'

describe('blobs in a folder', () => {
  let folder: string
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-files-'))))
  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('reading a small file needs no more memory than the file has bytes', async () => {
    const blobs = await openFiles(folder)
    for (const size of [0, 1, 10_000]) {
      await blobs.put('small', Buffer.alloc(size))
      const blob = (await blobs.open('small')) ?? assert.fail('it is missing')
      const chunks: Buffer[] = await blob.stream.toArray()
      assert.equal(Buffer.concat(chunks).length, size)
      for (const { buffer } of chunks) assert.equal(buffer.byteLength, size)
    }
  })

  test('a put that fails on the disk answers service_unavailable and stores nothing', async () => {
    const blobs = await openFiles(folder)
    // No user, not even root, can create a folder there.
    await symlink('/sys/kernel', join(folder, 'refusing'))
    await assert.rejects(blobs.put('refusing/a/b', Buffer.from('x')), { code: 'service_unavailable' })
    assert.deepEqual(await readdir(join(folder, INCOMING)), [])
  })

  test('a folder that was removed is created again by the next put', async () => {
    const blobs = await openFiles(folder)
    await blobs.put('a/b/first', Buffer.from('1'))
    await rm(join(folder, 'a'), { recursive: true })
    await blobs.put('a/b/second', Buffer.from('2'))
    assert.deepEqual(await readdir(join(folder, 'a/b')), ['second'])
    assert.deepEqual(await readdir(join(folder, INCOMING)), [])
  })

  test('the body stays open when the disk fails, because the response is sent on its connection', async () => {
    const blobs = await openFiles(folder)
    await rm(join(folder, INCOMING), { recursive: true })
    await symlink('/sys/kernel', join(folder, INCOMING))
    const body = new Readable({ read() {} })
    body.push('x')
    await assert.rejects(blobs.put('a', body), { code: 'service_unavailable' })
    assert.equal(body.destroyed, false)
  })

  test('ping answers service_unavailable if the folder was removed', async () => {
    const blobs = await openFiles(folder)
    await rm(folder, { recursive: true })
    await assert.rejects(blobs.ping(), { code: 'service_unavailable' })
  })
})
