import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { deploy, type Files, newApp, sha256Of, upload, browserFor } from '../../testing/hosted-apps.ts'
import { engines, type Service, startService, type TestEnvironment } from '../../testing/service.ts'

const READERS = 200
const ACTIVATIONS = 12
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A page whose script has the hash of its content in its name, as bundlers do it. */
function site(mark: string): Files {
  const script = `export default '${mark}' // ${'x'.repeat(1_500)}`
  const name = `app.${sha256Of(script).slice(0, 12)}a1.js`
  return {
    'index.html': `<script src="/${name}" data-mark="${mark}"></script>`,
    [name]: script,
    'mark.txt': mark,
  }
}
const scriptOf = (page: string) => /src="([^"]+)"/.exec(page)?.[1] ?? ''
const markOf = (text: string) => /(?:data-mark="|default ')([^"']+)/.exec(text)?.[1]

for (const engine of engines) {
  describe(`activation on ${engine}`, () => {
    let service: Service
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())

    test('[DSH-12] the history contains which version was activated when, and by whom', async () => {
      const project = await newApp(service)
      const { development, developer } = project
      const activations = async (query = '') =>
        (await developer.call('GET', `${development.path}/hosting/activations${query}`)).body.activations
      assert.deepEqual(await activations(), [])
      await deploy(service, development, site('one'))
      service.clock.advance(1_000)
      await deploy(service, development, site('two'))
      service.clock.advance(1_000)
      await developer.call('POST', `${development.path}/deployments/1/activate`)
      await developer.call('POST', `${development.path}/deployments/1/activate`)

      const listed = await activations()
      const nowMs = service.clock.now().getTime()
      const at = (msAgo: number) => new Date(nowMs - msAgo).toISOString()
      assert.deepEqual(
        listed.map((one: { version: number; at: string; by: { type: string } }) => [
          one.version,
          one.at,
          one.by.type,
        ]),
        [
          [1, at(0), 'developer'],
          [2, at(1_000), 'key'],
          [1, at(2_000), 'key'],
        ],
      )
      assert.deepEqual(listed[0].by, { type: 'developer', id: developer.id, label: developer.email })
      assert.deepEqual(await activations('?limit=1'), listed.slice(0, 1))
      const { deployments } = (await developer.call('GET', `${development.path}/deployments`)).body
      assert.deepEqual(
        deployments.map(({ by }: { by: { type: string } }) => by.type),
        ['key', 'key'],
      )
      const other = await project.production.server('GET', '/v1/hosting/activations')
      assert.deepEqual(other.body.activations, [])
    })

    test('[HST-06] two deployers, 200 readers: a page always finds the script of its own version', async () => {
      const project = await newApp(service)
      const visit = await browserFor(service)
      const home = `${project.slug}--dev`
      await deploy(service, project.development, site('first'))
      let isOver = false

      async function read() {
        const seen = new Set<string>()
        while (!isOver) {
          const page = await visit(home, '/')
          const script = await visit(home, scriptOf(page.text))
          assert.deepEqual([page.status, script.status], [200, 200])
          assert.equal(markOf(script.text), markOf(page.text))
          seen.add(markOf(page.text) ?? '')
        }
        return seen
      }
      async function deployAll(who: string) {
        for (let i = 0; i < ACTIVATIONS; i++) await deploy(service, project.development, site(`${who}${i}`))
      }
      const readers = Array.from({ length: READERS }, read)
      await Promise.all([deployAll('a'), deployAll('b')]).finally(() => (isOver = true))
      const seen = (await Promise.all(readers)).reduce((all, some) => all.union(some))
      assert.ok(seen.size > 2, `readers saw ${seen.size} versions`)
    })

    test('[HST-06] after the response of activate every reader sees that version', async () => {
      const project = await newApp(service)
      const visit = await browserFor(service)
      for (const mark of ['one', 'two'])
        await deploy(service, project.development, site(mark), { activate: false })
      for (let i = 0; i < 20; i++) {
        const version = (i % 2) + 1
        await project.development.server('POST', `/v1/deployments/${version}/activate`)
        const marks = await Promise.all(
          Array.from({ length: 5 }, async () => (await visit(`${project.slug}--dev`, '/mark.txt')).text),
        )
        assert.deepEqual(new Set(marks), new Set([version === 1 ? 'one' : 'two']))
      }
    })

    test('a file without a hash in its name is removed with its version; one with a hash is kept for a day, then swept', async () => {
      const project = await newApp(service)
      const visit = await browserFor(service)
      const home = `${project.slug}--dev`
      const old = { ...site('old'), 'notes.txt': 'old', 'page.abcdef01.html': 'old page' }
      await deploy(service, project.development, old)
      const script = scriptOf((await visit(home, '/')).text)
      await deploy(service, project.development, { 'index.html': 'new' })

      assert.equal((await visit(home, script)).status, 200)
      assert.equal((await visit(home, '/notes.txt')).status, 404)
      await expireDeployments(project.development)
      service.clock.advance(DAY_MS - 1)
      await service.hosting.sweep()
      assert.equal((await visit(home, script)).status, 200)
      service.clock.advance(1)
      await service.hosting.sweep()
      const left = await Array.fromAsync(service.blobs.list(`${project.id}/`))
      assert.deepEqual(
        left.filter((key) => key.includes(sha256Of(old['notes.txt']))),
        [],
      )
    })

    test('a file that is kept for a day is also swept if another sweep ran in the meantime', async () => {
      const project = await newApp(service)
      const old = site('swept')
      for (const files of [{ 'index.html': 'new' }, old]) await deploy(service, project.development, files)
      service.clock.advance(2 * DAY_MS)
      // A blob that no deployment uses: its sweep comes before the end of the day.
      await upload(service, project.development, 'stray')
      service.clock.advance(HOUR_MS)
      await project.development.server('POST', '/v1/deployments/1/activate')
      await expireDeployments(project.development)
      const isStored = async (content: string | Buffer) =>
        (await Array.fromAsync(service.blobs.list(`${project.id}/`))).some((key) =>
          key.includes(sha256Of(content)),
        )
      const script = Object.entries(old).find(([path]) => path.endsWith('.js'))?.[1] ?? ''
      service.clock.advance(DAY_MS - HOUR_MS)
      await service.hosting.sweep()
      assert.deepEqual([await isStored('stray'), await isStored(script)], [false, true])
      service.clock.advance(HOUR_MS)
      await service.hosting.sweep()
      assert.equal(await isStored(script), false)
    })

    /** Deploys so often that the first version is no longer listed. */
    async function expireDeployments({ server }: TestEnvironment) {
      const files = [{ path: 'index.html', sha256: sha256Of('new'), size: 3 }]
      for (let i = 0; i < 100; i++) await server('POST', '/v1/deployments', { files })
    }
  })
}

describe('activation across restarts and nodes', () => {
  test('[HST-05] a stop between finalize and activate leaves the version finalized, and the old version is served', async () => {
    const first = await startService('sqlite')
    const project = await newApp(first)
    await deploy(first, project.development, { 'index.html': 'old' })
    await deploy(first, project.development, { 'index.html': 'new' }, { activate: false })
    await first.close()

    const second = await startService('sqlite', { clusterOf: first })
    try {
      const visit = await browserFor(second)
      assert.equal((await visit(`${project.slug}--dev`, '/')).text, 'old')
      const onSecond = second.withKey(project.development.secretKey)
      const { deployment } = (await onSecond('GET', '/v1/deployments/2')).body
      assert.deepEqual([deployment.status, deployment.live], ['finalized', false])
      await onSecond('POST', '/v1/deployments/2/activate')
      assert.equal((await visit(`${project.slug}--dev`, '/')).text, 'new')
    } finally {
      await second.stop()
      await first.removeData()
    }
  })

  test('[HST-06] a version activated on one node is served by the other within a second', async () => {
    const first = await startService('postgres')
    const second = await startService('postgres', { clusterOf: first })
    try {
      const project = await newApp(first)
      const visit = await browserFor(second)
      for (const mark of ['one', 'two', 'three']) {
        await deploy(first, project.development, { 'mark.txt': mark })
        const deadline = performance.now() + 1_000
        for (;;) {
          const begunAt = performance.now()
          if ((await visit(`${project.slug}--dev`, '/mark.txt')).text === mark) break
          assert.ok(begunAt < deadline, 'the other node has not noticed within a second')
          await pause(10)
        }
      }
    } finally {
      await second.stop()
      await first.stop()
    }
  })
})
