import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { ApiError } from '../../platform/api-error.ts'
import { s3Credentials, startS3Server } from '../../testing/s3-server.ts'
import { openS3, readS3Url } from './s3.ts'

const unavailable = (cause: RegExp) => (error: unknown) =>
  error instanceof ApiError &&
  error.code === 'service_unavailable' &&
  error.cause instanceof Error &&
  cause.test(error.cause.message)

const openIn = (directory: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(directory)
    } catch {
      // The file handle with which the folder was read.
      return false
    }
  })

/** Resolves when the socket has closed, with or without an error. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

describe('S3', () => {
  let folder: string
  let server: Awaited<ReturnType<typeof startS3Server>>

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-s3-spool-'))
    server = await startS3Server()
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  test('a wrong secret is reported to the operator and never quoted', async () => {
    const blobs = await openS3(server.url, { ...s3Credentials, secretAccessKey: 'wrong-secret' }, folder)
    await assert.rejects(blobs.ping(), unavailable(/^S3 answered 403 SignatureDoesNotMatch$/))
    await assert.rejects(
      blobs.put('a', Buffer.from('a')),
      unavailable(/^S3 answered 403 SignatureDoesNotMatch$/),
    )
    await assert.rejects(blobs.open('a'), unavailable(/^S3 answered 403 SignatureDoesNotMatch$/))
    await blobs.close()
  })

  test('a missing bucket is a failure, not a missing blob', async () => {
    const blobs = await openS3(server.url.replace('svc-test', 'no-such-bucket'), s3Credentials, folder)
    await assert.rejects(blobs.ping(), unavailable(/NoSuchBucket/))
    await assert.rejects(blobs.open('a'), unavailable(/NoSuchBucket/))
    await blobs.close()
  })

  test('objects are stored below the prefix of the URL', async () => {
    const below = await openS3(server.url, s3Credentials, folder)
    const top = await openS3(server.url.replace('/some/prefix', ''), s3Credentials, folder)
    await below.put('a/b', Buffer.from('below'))
    assert.deepEqual(await Array.fromAsync(top.list('some/')), ['some/prefix/a/b'])
    const blob = await top.open('some/prefix/a/b')
    assert.equal(blob && (await text(blob.stream)), 'below')
    await Promise.all([below.close(), top.close()])
  })

  test('a server that is down answers service_unavailable, and is used again when it runs again', async () => {
    const blobs = await openS3(server.url, s3Credentials, folder)
    await blobs.put('down/x', Buffer.from('x'))
    await server.stop()
    await assert.rejects(blobs.ping(), unavailable(/ECONN/))
    await assert.rejects(blobs.put('down/y', Buffer.from('y')), unavailable(/ECONN/))
    await assert.rejects(blobs.open('down/x'), unavailable(/ECONN/))
    await assert.rejects(Array.fromAsync(blobs.list('down/')), unavailable(/ECONN/))

    await server.start()
    await blobs.put('down/y', Buffer.from('y'))
    assert.deepEqual((await Array.fromAsync(blobs.list('down/'))).sort(), ['down/x', 'down/y'])
    await blobs.close()
  })

  test('every call to a server that never responds times out, and so does a body that stops in the middle', async () => {
    let answer = ''
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('data', () => socket.write(answer))
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const limits = { silenceMs: 50, callMs: 100, transferMs: 100 }
    const blobs = await openS3(`s3://b?endpoint=http://127.0.0.1:${port}`, s3Credentials, folder, limits)

    await assert.rejects(blobs.ping(), unavailable(/sent nothing for 50 ms/))
    await assert.rejects(blobs.put('a', Buffer.from('a')), unavailable(/sent nothing for 50 ms/))
    await assert.rejects(blobs.stat('a'), unavailable(/sent nothing for 50 ms/))
    await assert.rejects(blobs.remove('a'), unavailable(/sent nothing for 50 ms/))
    answer = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'
    await blobs.put('a', Buffer.from('a'))
    await assert.rejects(blobs.ping(), unavailable(/sent nothing for 50 ms/))
    const blob = await blobs.open('a')
    assert.ok(blob)
    await assert.rejects(text(blob.stream), /sent nothing for 50 ms/)

    await blobs.close()
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  test('an early or non-HTTP response releases the connection and the file', async (t) => {
    const sockets = new Set<Socket>()
    let answer = ''
    const hasty = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
      socket.once('data', () => socket.write(`HTTP/1.1 ${answer}\r\nContent-Length: 0\r\n\r\n`))
    }).listen(0, '127.0.0.1')
    await once(hasty, 'listening')
    const { port } = hasty.address() as AddressInfo
    const blobs = await openS3(`s3://b?endpoint=http://127.0.0.1:${port}`, s3Credentials, folder)
    t.after(async () => {
      await blobs.close()
      hasty.close()
    })
    const large = () => Readable.from(Array.from({ length: 32 }, () => Buffer.alloc(1024 * 1024)))

    for (answer of ['503 Slow Down', '403 Forbidden'])
      await assert.rejects(blobs.put('a', large()), unavailable(/S3 answered (503|403)/))
    answer = '101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x'
    await assert.rejects(blobs.stat('a'), unavailable(/another protocol/))
    await assert.rejects(blobs.put('a', large()), unavailable(/another protocol/))

    while (sockets.size > 0) await Promise.all([...sockets].map((socket) => closed(socket)))
    while (openIn(folder).length > 0) await nextTurn()
  })

  test('a server that answers 404 to everything is rejected as not S3', async () => {
    const other = createHttpServer((request, response) => {
      request.resume().on('end', () => response.writeHead(404).end('<h1>Not found</h1>'))
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const blobs = await openS3(`s3://b?endpoint=http://127.0.0.1:${port}`, s3Credentials, folder)

    await assert.rejects(blobs.ping(), unavailable(/404/))
    await assert.rejects(blobs.put('a', Buffer.from('a')), unavailable(/404/))

    await blobs.close()
    other.close()
  })

  test('the URL contains bucket, prefix, endpoint and region', () => {
    assert.deepEqual(readS3Url('s3://apps/a/b/?endpoint=https://s3.example.com/&region=auto'), {
      bucketUrl: 'https://s3.example.com/apps',
      prefix: 'a/b/',
      region: 'auto',
    })
    assert.deepEqual(readS3Url('s3://apps?region=eu-west-1'), {
      bucketUrl: 'https://apps.s3.eu-west-1.amazonaws.com',
      prefix: '',
      region: 'eu-west-1',
    })
    for (const wrong of [
      '',
      'apps',
      'https://apps',
      's3:///x',
      's3://apps/a b',
      's3://apps/../x y',
      's3://apps?endpoint=ftp://x',
    ]) {
      assert.throws(() => readS3Url(wrong), Error, wrong)
    }
  })
})
