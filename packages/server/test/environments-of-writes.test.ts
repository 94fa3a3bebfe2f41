import assert from 'node:assert/strict'
import { mock, test } from 'node:test'

import type { Transaction } from '../src/engines/database/database.ts'
import { currentEnvironmentId, NO_ENVIRONMENT } from '../src/platform/current-environment.ts'
import { newChannelApp } from '../src/testing/channels.ts'
import { newGuest } from '../src/testing/guests.ts'
import { suite } from '../src/testing/suite.ts'

const UNLOADED_AFTER_MS = 10_000

suite('the environment of a write', {}, ({ service }) => {
  /** The environments for which transactions were opened meanwhile. */
  async function environmentsOf(work: () => Promise<unknown>): Promise<string[]> {
    const { db } = service
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

  test('[OPS-86] a request of a player or a server writes for its environment, and one of a developer for none', async () => {
    const project = await service.newProject()
    const { id } = project.environments.find(({ name }) => name === 'production') ?? { id: '' }
    const side = project.production

    const push = () => side.server('PUT', '/v1/config', { features: { saves: true } })
    assert.deepEqual(await environmentsOf(push), [id])
    const player = await newGuest(side)
    assert.deepEqual(await environmentsOf(() => player.call('PUT', '/v1/saves/first', { data: 1 })), [id])
    assert.deepEqual(await environmentsOf(() => service.newDeveloper()), [NO_ENVIRONMENT])
  })

  test('[OPS-86] a frame and what it opens write for its environment', async (t) => {
    const app = await newChannelApp(service)
    t.after(app.closeAll)
    const { id } = app.project.environments.find(({ name }) => name === 'development') ?? { id: '' }
    const put = () => app.server.put('@lobby')
    assert.deepEqual(await environmentsOf(put), [id])

    service.clock.advance(UNLOADED_AFTER_MS)
    const player = await app.join()
    const join = () => player.request({ t: 'channelJoin', channel: '@lobby' })
    assert.deepEqual(await environmentsOf(join), [id])
  })
})
