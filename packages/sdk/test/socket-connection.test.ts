import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'

import { ConnectionClosedError, openSocketConnection } from '../src/realtime/socket-connection.ts'

test('a connection that is no longer needed is abandoned before the service responds', async (t) => {
  const silent = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  // It would be given up in time, too: time stands still.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const unwanted = new AbortController()
  const asked = once(silent, 'connection')

  const opening = openSocketConnection({
    WebSocket,
    url: `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    auth: {},
    signal: unwanted.signal,
    receive() {},
    closed() {},
  })
  const refused = assert.rejects(opening, ConnectionClosedError)
  await asked
  unwanted.abort()
  await refused
})
