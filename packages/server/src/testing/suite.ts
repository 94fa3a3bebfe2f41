import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'

import { type Engine, engines as everyEngine, type Service, startService } from './service.ts'

export type TestProject = Awaited<ReturnType<Service['newProject']>>

type Startable = Pick<Service, 'newProject' | 'stop'>
type Options<Started> = {
  /** If set, even to an empty object, the suite has a `project` with these features on in its development environment. */
  features?: Record<string, boolean>
  engines?: readonly Engine[]
  /** For a service with settings or with further servers. */
  start?: (engine: Engine) => Promise<Started>
}
type SuiteContext<Started> = { engine: Engine; service: Started; project: TestProject }

/**
 * Tests that share a service, once on every engine. `service` and `project` can be passed to other functions from the start, and
 * read in hooks and tests.
 */
export function suite<Started extends Startable = Service>(
  name: string,
  { features, engines = everyEngine, start }: Options<Started>,
  declareTests: (context: SuiteContext<Started>) => void,
): void {
  for (const engine of engines) {
    describe(`${name} on ${engine}`, () => {
      let service: Started | undefined
      let project: TestProject | undefined
      before(async () => {
        service = start ? await start(engine) : ((await startService(engine)) as Startable as Started)
        if (!features) return
        project = await service.newProject()
        if (Object.keys(features).length === 0) return
        const { status } = await project.development.server('PUT', '/v1/config', { features })
        assert.equal(status, 200)
      })
      after(() => service?.stop())

      declareTests({
        engine,
        service: standInFor('service', () => service),
        project: standInFor('project', () => project),
      })
    })
  }
}

/** Two nodes of one service, for all tests of the suite that calls this. */
export function startTwoNodes(settings: Record<string, string> = {}): [first: Service, second: Service] {
  const nodes: Service[] = []
  before(async () => {
    const first = await startService('postgres', { settings })
    nodes.push(first)
    nodes.push(await startService('postgres', { settings, clusterOf: first }))
  })
  after(async () => {
    for (const node of nodes.toReversed()) await node.stop()
  })
  return [standInFor('first node', () => nodes[0]), standInFor('second node', () => nodes[1])]
}

/** An object with the properties of another that does not exist yet. */
const standInFor = <T extends object>(name: string, find: () => T | undefined): T =>
  new Proxy({} as T, {
    get(_, key) {
      const found = find() ?? assert.fail(`the ${name} is not there yet: read from it in a hook or a test`)
      return Reflect.get(found, key)
    },
  })
