import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { startRedis } from './services.ts'

test('a foreign server on the port is never reported as started by us, and is not disturbed', async (t) => {
  const stranger = createServer((socket) => socket.end('still here')).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  t.after(() => stranger.close())
  const { port } = stranger.address() as AddressInfo

  await assert.rejects(startRedis({ port }), /Address already in use/)

  const [answer] = await once(connect(port, '127.0.0.1'), 'data')
  assert.equal(String(answer), 'still here')
})

test('stop ends the server, even a frozen one, and can be called twice', async () => {
  const redis = await startRedis()
  process.kill(redis.pid, 'SIGSTOP')

  await redis.stop()
  await redis.stop()

  const [error] = await once(connect(redis.port, '127.0.0.1'), 'error')
  assert.equal(error.code, 'ECONNREFUSED')
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
  test(`servers are killed when the process that started them is ended by ${signal}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-starter-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const script = `
      import { startRedis } from ${JSON.stringify(import.meta.resolve('./services.ts'))}
      console.log((await startRedis()).port)`
    const starter = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, TMPDIR: folder },
    })
    const port = Number(await once(starter.stdout, 'data'))
    // This connection ends when the server ends, in any way.
    const connection = connect(port, '127.0.0.1').on('error', () => {})
    await once(connection, 'connect')
    const ended = new Promise((resolve) => connection.resume().once('close', resolve))

    starter.kill(signal)

    await ended
  })
}
