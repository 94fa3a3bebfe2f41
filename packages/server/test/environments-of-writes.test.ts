import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'

import type { Transaction } from '../src/engines/database/database.ts'
import { currentEnvironmentId, NO_ENVIRONMENT } from '../src/platform/current-environment.ts'
import { newChannelApp } from '../src/testing/channels.ts'
import { newGuest } from '../src/testing/guests.ts'
import type { Service } from '../src/testing/service.ts'
import { startTwoNodes, suite } from '../src/testing/suite.ts'

const UNLOADED_AFTER_MS = 10_000

/** The environments for which transactions were opened meanwhile. */
async function environmentsOf({ db }: Pick<Service, 'db'>, work: () => Promise<unknown>): Promise<string[]> {
  const found = new Set<string>()
  const note = () => void found.add(currentEnvironmentId())
  const { transaction, exclusively } = db
  const methods = [
    mock.method(db, 'transaction', <T>(work: (opened: Transaction) => Promise<T>) => {
      note()
      return transaction(work)
    }),
    mock.method(db, 'exclusively', <T>(key: string, work: (opened: Transaction) => Promise<T>) => {
      note()
      return exclusively(key, work)
    }),
  ]
  await work()
  for (const method of methods) method.mock.restore()
  return [...found]
}

suite('the environment of a write', {}, ({ service }) => {
  test('[OPS-86] a request of a player or a server writes for its environment, and one of a developer for none', async () => {
    const project = await service.newProject()
    const { id } = project.environments.find(({ name }) => name === 'production') ?? { id: '' }
    const side = project.production

    const push = () => side.server('PUT', '/v1/config', { features: { saves: true } })
    assert.deepEqual(await environmentsOf(service, push), [id])
    const player = await newGuest(side)
    assert.deepEqual(
      await environmentsOf(service, () => player.call('PUT', '/v1/saves/first', { data: 1 })),
      [id],
    )
    assert.deepEqual(await environmentsOf(service, () => service.newDeveloper()), [NO_ENVIRONMENT])
  })

  test('[OPS-86] a frame and what it opens write for its environment', async (t) => {
    const app = await newChannelApp(service)
    t.after(app.closeAll)
    const { id } = app.project.environments.find(({ name }) => name === 'development') ?? { id: '' }
    const put = () => app.server.put('@lobby')
    assert.deepEqual(await environmentsOf(service, put), [id])

    service.clock.advance(UNLOADED_AFTER_MS)
    const player = await app.join()
    const join = () => player.request({ t: 'channelJoin', channel: '@lobby' })
    assert.deepEqual(await environmentsOf(service, join), [id])
  })
})

describe('the environment of a write for another node', () => {
  const nodes = startTwoNodes()

  test('[OPS-86] what another node asks of a channel is written for its environment', async (t) => {
    const [owner, other] = nodes
    const app = await newChannelApp(owner)
    t.after(app.closeAll)
    const { id } = app.project.environments.find(({ name }) => name === 'development') ?? { id: '' }
    assert.equal((await app.server.put('@lobby')).status, 200)

    const put = () => app.serverAt(other).put('@lobby', { maxMembers: 7 })
    assert.deepEqual(await environmentsOf(owner, put), [id])
  })
})
