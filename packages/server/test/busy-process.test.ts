import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { startServer } from './server-process.ts'

/** More than Node would let wait, and no more than the system does. */
const CONNECTIONS = Math.min(1_000, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')))

test('[OPS-64] connections that arrive while the process is busy wait for it, and are answered', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-busy-'))
  const server = await startServer({ SVC_DATA_DIR: dataDir })
  t.after(async () => {
    server.signal('SIGKILL')
    await server.ended
    await rm(dataDir, { recursive: true, force: true })
  })
  server.signal('SIGSTOP')
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(server.port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  server.signal('SIGCONT')
  const last = sockets.at(-1)
  last?.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const [head] = last ? await once(last, 'data') : []
  assert.match(String(head), /^HTTP\/1\.1 200 /)
  for (const socket of sockets) socket.destroy()
})
