import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type Server, startRedis, startSentinel } from '../../../../../scripts/services.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { newClient } from './client.ts'
import { type Connection, openConnection } from './connection.ts'

const DOWN_AFTER_MS = 500

/** Undefined while nobody answers: a server that changes its role closes its connections. */
async function roleOf({ url }: Server): Promise<string | undefined> {
  const client = newClient(url, 'test')
  client.on('error', () => {})
  try {
    await client.connect()
    const [role] = await client.sendCommand<unknown[]>(['ROLE'])
    return String(role)
  } catch {
    return undefined
  } finally {
    client.destroy()
  }
}

const write = (connection: Connection, value: string) =>
  connection
    .run((client) => client.set('value', value))
    .then(
      () => true,
      () => false,
    )

describe('Sentinels with a master and a replica', () => {
  const stack = new AsyncDisposableStack()
  const logged: string[] = []
  let [one, two]: Server[] = []
  let sentinels: Server[]
  let connection: Connection
  const started = (server: Server) => stack.adopt(server, ({ stop }) => stop())
  const urlOf = (hosts: string) => `redis+sentinel://${hosts}/svc`
  before(async () => {
    one = started(await startRedis())
    two = started(await startRedis({ replicaOf: one.port }))
    const watch = { masterPort: one.port, quorum: 2, downAfterMs: DOWN_AFTER_MS }
    sentinels = await Promise.all([1, 2, 3].map(async () => started(await startSentinel(watch))))
    await comesTrue('the Sentinels know each other and the replica', async () => {
      const known = await Promise.all(sentinels.map(({ url }) => knownBy(url)))
      return known.every(({ others, replicas }) => others === 2 && replicas === 1)
    })
    const url = urlOf(sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','))
    const options = { log: (line: string) => void logged.push(line) }
    connection = stack.adopt(await openConnection(url, { name: 'test' }, options), ({ close }) => close())
  })
  after(() => stack.disposeAsync())

  async function knownBy(url: string) {
    const client = newClient(url, 'test')
    client.on('error', () => {})
    await client.connect()
    try {
      const others = await client.sendCommand<unknown[]>(['SENTINEL', 'SENTINELS', 'svc'])
      const replicas = await client.sendCommand<unknown[]>(['SENTINEL', 'REPLICAS', 'svc'])
      return { others: others.length, replicas: replicas.length }
    } finally {
      client.destroy()
    }
  }

  test('[OPS-53] the master is used, also if one of the named Sentinels is frozen or away', async () => {
    const [frozen, other] = sentinels
    process.kill(frozen?.pid ?? 0, 'SIGSTOP')
    const url = urlOf(`127.0.0.1:1,127.0.0.1:${frozen?.port},127.0.0.1:${other?.port}`)
    const opened = await openConnection(url, { name: 'test' })
    assert.equal(await write(opened, 'a'), true)
    await opened.close()
    process.kill(frozen?.pid ?? 0, 'SIGCONT')
  })

  test('[OPS-53] a frozen master is replaced; when it returns as a replica, it is not used', async () => {
    assert.ok(one && two)
    assert.equal(await write(connection, 'before'), true)

    process.kill(one.pid, 'SIGSTOP')
    await comesTrue('the connection is lost', async () => !(await write(connection, 'frozen')))
    await comesTrue('the other server is the master', async () => (await roleOf(two as Server)) === 'master')
    await comesTrue('writes work again', () => write(connection, 'after'))

    process.kill(one.pid, 'SIGCONT')
    await comesTrue('the former master is a replica', async () => (await roleOf(one as Server)) === 'slave')
    await comesTrue('writes still work', () => write(connection, 'in the end'))
    const reader = newClient(two.url, 'test')
    reader.on('error', () => {})
    await reader.connect()
    assert.equal(await reader.get('value'), 'in the end')
    reader.destroy()
    assert.match(logged.join('\n'), /is connected again/)
  })

  test('[OPS-53] an unknown master is an error that names the Sentinels', async () => {
    const url = `redis+sentinel://:hush@127.0.0.1:${sentinels[0]?.port}/other`
    await assert.rejects(openConnection(url, { name: 'test' }, { openTimeoutMs: 1_000 }), (error: Error) => {
      assert.match(
        error.message,
        /REDIS_URL: no master answers at 127\.0\.0\.1:\d+ .*it knows no master other/,
      )
      return !error.message.includes('hush')
    })
  })
})
