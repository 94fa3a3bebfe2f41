import assert from 'node:assert/strict'
import { test } from 'node:test'

import { HOUR_MS, millisecondsOf } from '../../platform/clock.ts'
import { deployFunctions, startFunctionsService } from '../../testing/deployed-functions.ts'
import { browserFor } from '../../testing/hosted-apps.ts'
import { topUp } from '../../testing/money.ts'
import { suite } from '../../testing/suite.ts'
import { createChanges } from './changes.ts'
import { createFunctionsStore } from './store.ts'
import { createSuspensions } from './suspensions.ts'
import { createUsage } from './usage.ts'
import { createWaking } from './wake.ts'

const bindings = [{ type: 'kv', name: 'KV' }]
const CODE = `export default {
  async fetch(_request, { KV }) {
    await KV.put('key', 'value')
    return new Response('runs')
  },
}`
suite(
  'chores of functions',
  { start: (engine) => startFunctionsService(engine, { SVC_BILLING: 'on' }) },
  ({ service }) => {
    async function newEnvironments(count: number, code = CODE, rest: object = { bindings }) {
      const developer = await service.newDeveloper()
      await topUp(service, developer, 500)
      const environments = []
      for (let number = 0; number < count; number++) {
        const { id: projectId, slug, development, environments: all } = await service.newProject(developer)
        await deployFunctions(development, code, rest)
        const environmentId = all.find(({ name }) => name === 'development')?.id ?? ''
        environments.push({ projectId, slug, development, environmentId })
      }
      return { developer, environments }
    }
    test('[FUN-14] the storage of an hour is charged once, however often the job is repeated', async () => {
      const { environments } = await newEnvironments(3)
      const noted: Record<string, number> = {}
      const broken = environments[1]?.environmentId ?? ''
      let isBroken = true
      const { chargeStorage } = createUsage(createFunctionsStore(service.db), {
        clock: service.clock,
        money: { noteUsage: (id, _component, bytes) => void (noted[id] = (noted[id] ?? 0) + bytes) },
        engine: {
          storedBytes: async (dataId, resources) => {
            if (isBroken && dataId.startsWith(broken)) throw new Error('cannot be read')
            return resources.map(() => 1_000)
          },
        },
      })
      const slotAtMs = millisecondsOf(service.clock)
      for (let attempt = 0; attempt < 5; attempt++) await assert.rejects(chargeStorage(slotAtMs))
      const mine = () => environments.map(({ environmentId }) => noted[environmentId])
      assert.deepEqual(mine(), [1_000, undefined, 1_000])
      isBroken = false
      await Promise.all([chargeStorage(slotAtMs), chargeStorage(slotAtMs)])
      assert.deepEqual(mine(), [1_000, 1_000, 1_000])
      await chargeStorage(slotAtMs + HOUR_MS)
      assert.deepEqual(mine(), [2_000, 2_000, 2_000])
    })

    test('[FUN-14] [MON-06] the job of the service charges storage once per hour', async () => {
      const { developer, environments } = await newEnvironments(1)
      const visit = await browserFor(service)
      assert.equal((await visit(`${environments[0]?.slug}--dev--fn`, '/')).text, 'runs')
      for (let attempt = 0; attempt < 3; attempt++) await service.everyHour()
      await service.everyMinute()
      const once = await storedByteHours()
      assert.ok(once > 0)
      service.clock.advance(HOUR_MS)
      for (let attempt = 0; attempt < 3; attempt++) await service.everyHour()
      await service.everyMinute()
      assert.equal(await storedByteHours(), 2 * once)

      async function storedByteHours(): Promise<number> {
        const { body } = await developer.call('GET', '/v1/money/usage')
        const found = body.components.find(
          ({ component }: { component: string }) => component === 'functions.storageByteHours',
        )
        return found?.quantity ?? 0
      }
    })

    test('[FUN-14] an environment that cannot be suspended stops no other; the next hour finds what was missed', async () => {
      const { developer, environments } = await newEnvironments(3)
      const store = createFunctionsStore(service.db)
      const applied: string[] = []
      let isOverdue = true
      const { clock } = service
      const owners = {
        async apply(environmentId: string) {
          applied.push(environmentId)
          if (environmentId === environments[0]?.environmentId) throw new Error('cannot be switched')
        },
      }
      const suspensions = createSuspensions(store, {
        clock,
        change: createChanges(store, { owners, audit: { record: async () => {} }, clock }),
        findProject: async () => undefined,
        projectsOf: async () => environments.map(({ projectId: id }) => ({ id })),
        isOverdue: async (projectId) =>
          isOverdue && environments.some((environment) => environment.projectId === projectId),
      })
      const suspendedBy = () =>
        Promise.all(
          environments.map(async ({ environmentId }) => (await store.find(environmentId))?.suspendedBy),
        )
      const ids = environments.map(({ environmentId }) => environmentId)

      await assert.rejects(suspensions.suspend(developer.id))
      assert.deepEqual([await suspendedBy(), applied], [['money', 'money', 'money'], ids])
      isOverdue = false
      await assert.rejects(suspensions.resumePaid())
      assert.deepEqual(await suspendedBy(), [null, null, null])
      isOverdue = true
      await assert.rejects(suspensions.suspendOverdue())
      assert.deepEqual(await suspendedBy(), ['money', 'money', 'money'])
      await suspensions.suspendOverdue()
      assert.equal(applied.length, 9)
    })

    test('[FUN-10] one environment that cannot be started does not keep the alarms of others from being woken', async () => {
      const { environments } = await newEnvironments(3, CODE, {
        bindings: [{ type: 'queue', name: 'JOBS' }],
      })
      const ids = environments.map(({ environmentId }) => environmentId)
      const asked: string[] = []
      const wake = createWaking(createFunctionsStore(service.db), {
        engine: { nextWakeAt: async () => service.clock.now() },
        owners: {
          locate: async (environmentId) => {
            asked.push(environmentId)
            throw new Error('cannot be started')
          },
        },
      })
      await assert.rejects(wake())
      assert.deepEqual(asked.filter((id) => ids.includes(id)).toSorted(), ids.toSorted())
    })
  },
)
