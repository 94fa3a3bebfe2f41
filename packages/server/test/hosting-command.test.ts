import assert from 'node:assert/strict'
import { test } from 'node:test'

import { deploy, newApp, browserFor } from '../src/testing/hosted-apps.ts'
import { engines, startService } from '../src/testing/service.ts'
import { operate } from './operator.ts'

for (const engine of engines) {
  test(`an operator can suspend an app and resume it while the service runs, on ${engine}`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    const { slug, development } = await newApp(service)
    await deploy(service, development, { 'index.html': 'home' })
    const visit = await browserFor(service)
    // On PostgreSQL the running service is not notified: it polls.
    const hosting = (...args: string[]) => operate(service, 'hosting', ...args)
    const status = async () => (await visit(`${slug}--dev`, '/')).status
    assert.equal(await status(), 200)

    assert.deepEqual(await hosting('suspend', slug), {
      code: 0,
      output: `${slug} is no longer served\n`,
      errors: '',
    })
    while ((await status()) === 200) await new Promise(setImmediate)
    assert.equal(await status(), 404)

    assert.equal((await hosting('resume', slug)).code, 0)
    while ((await status()) === 404) await new Promise(setImmediate)
    assert.equal(await status(), 200)

    const unknown = await hosting('suspend', 'nobody')
    assert.deepEqual([unknown.code, unknown.errors], [1, 'There is no project with the slug "nobody".\n'])
    assert.equal((await hosting('suspend')).code, 2)
  })
}
