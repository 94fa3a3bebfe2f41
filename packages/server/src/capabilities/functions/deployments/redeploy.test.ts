import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { deploymentOf, startFunctionsService } from '../../../testing/deployed-functions.ts'
import { browserFor } from '../../../testing/hosted-apps.ts'
import { suite } from '../../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const says = (text: string) => `export default { fetch: () => new Response(${JSON.stringify(text)}) }`

// On one engine: it takes half a minute, and what it shows is not the database's.
suite(
  'redeploys',
  { features: {}, engines: ['sqlite'], start: startFunctionsService },
  ({ service, project }) => {
    let visit: Awaited<ReturnType<typeof browserFor>>
    before(async () => void (visit = await browserFor(service)))

    test('[FUN-05] 20 redeploys under load fail no request and keep 20 versions with their code', async () => {
      const { server } = project.development
      const get = () => visit(`${project.slug}--dev--fn`, '/')
      await server('POST', `${FUNCTIONS}/enable`, {})
      await server('POST', `${FUNCTIONS}/deployments`, deploymentOf(says('0')))
      const answers: number[] = []
      let isDone = false
      const load = async () => {
        // Without pauses the load would use the whole processor.
        for (; !isDone; await pause(5)) answers.push((await get()).status)
      }
      const loads = [load(), load()]
      for (let index = 1; index <= 20; index++) {
        const deployed = await server('POST', `${FUNCTIONS}/deployments`, deploymentOf(says(`${index}`)))
        assert.equal(deployed.status, 201)
        assert.equal((await get()).text, String(index))
      }
      isDone = true
      await Promise.all(loads)
      assert.ok(answers.length > 100)
      assert.deepEqual(
        answers.filter((status) => status !== 200),
        [],
      )
      const { deployments } = (await server('GET', `${FUNCTIONS}/deployments?limit=100`)).body
      assert.deepEqual([deployments.length, deployments[0].version, deployments.at(-1).version], [20, 21, 2])
      const [row] = await service.db.search((q) => q.selectFrom('functions').select('environmentId'))
      const keys = await Array.fromAsync(service.blobs.list(`functions/${row?.environmentId}/`))
      assert.equal(keys.length, 20)
    })
  },
)
