import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { deployFunctions, startFunctionsService } from '../../testing/deployed-functions.ts'
import { browserFor } from '../../testing/hosted-apps.ts'
import { topUp } from '../../testing/money.ts'
import type { Engine } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

/** Every request costs a dollar. */
async function start(engine: Engine) {
  const prices = join(tmpdir(), `prices-${randomBytes(8).toString('hex')}.json`)
  const price = { component: 'functions.requests', per: 1, microUsd: 1_000_000 }
  await writeFile(prices, JSON.stringify([price]))
  const service = await startFunctionsService(engine, { SVC_BILLING: 'on', SVC_PRICES: prices })
  await rm(prices)
  return service
}

suite('functions that spend fast', { start }, ({ service }) => {
  async function newFunctions(cents: number) {
    const developer = await service.newDeveloper()
    await topUp(service, developer, cents)
    const { id, development, slug } = await service.newProject(developer)
    await deployFunctions(development, `export default { fetch: () => new Response('runs') }`)
    const visit = await browserFor(service)
    const request = async (times: number) => {
      for (let time = 0; time < times; time++) await visit(`${slug}--dev--fn`, '/')
    }
    /** The service repeats its work by real time as well. A check that it began itself has to end. */
    const second = async () => {
      await service.everySecond()
      await service.background.drained()
    }
    const isOverdue = () => service.money.isOverdue({ projectId: id })
    return { developer, request, second, isOverdue }
  }

  test('[FUN-14] what functions use in a minute is charged in that minute', async () => {
    const { developer, request, isOverdue } = await newFunctions(500)
    await request(6)
    await service.everyMinute()
    assert.equal(await isOverdue(), true)
    assert.equal((await developer.call('GET', '/v1/money/prepaid')).body.owed, 100)
  })

  test('[FUN-14] a balance that may not last until the next minute is looked at every five seconds', async () => {
    const { developer, request, second, isOverdue } = await newFunctions(1_000)
    await request(6)
    await service.everyMinute()
    assert.equal(await isOverdue(), false)

    await request(2)
    service.clock.advance(5 * SECOND_MS - 1)
    await second()
    const requests = async () =>
      (await developer.call('GET', '/v1/money/usage')).body.components[0].quantity as number
    assert.equal(await requests(), 6)
    service.clock.advance(1)
    await second()
    assert.equal(await requests(), 8)

    await request(3)
    service.clock.advance(5 * SECOND_MS)
    await second()
    assert.equal(await isOverdue(), true)
    assert.equal((await developer.call('GET', '/v1/money/prepaid')).body.owed, 100)
  })

  test('a balance that lasts is looked at once a minute', async () => {
    const { developer, request, second } = await newFunctions(100_000)
    const requests = async () =>
      (await developer.call('GET', '/v1/money/usage')).body.components[0].quantity as number
    await request(2)
    await service.everyMinute()
    await request(1)
    service.clock.advance(MINUTE_MS)
    await second()
    assert.equal(await requests(), 2)
  })
})
