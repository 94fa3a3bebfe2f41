import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

import { deploy, newApp, visitorOf } from '../src/testing/hosted-apps.ts'
import { type Service, startService } from '../src/testing/service.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

/** The program as an operator runs it, beside the service that is running: nobody tells that one, it looks again by itself. */
async function run({ dataDir, postgres }: Service, ...args: string[]) {
  const { PATH } = process.env
  const program = spawn(process.execPath, ['--conditions=source', MAIN, 'hosting', ...args], {
    env: { PATH, SVC_DATA_DIR: dataDir, DATABASE_URL: postgres?.url, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], output, errors] = await Promise.all([
    once(program, 'exit'),
    text(program.stdout),
    text(program.stderr),
  ])
  return { code, output, errors }
}

test('an operator takes an app down while it is served, and lets it be served again', async (t) => {
  const service = await startService('postgres')
  t.after(() => service.stop())
  const { slug, development } = await newApp(service)
  await deploy(service, development, { 'index.html': 'home' })
  const visit = await visitorOf(service)
  const status = async () => (await visit(`${slug}--dev`, '/')).status
  assert.equal(await status(), 200)

  assert.deepEqual(await run(service, 'suspend', slug), {
    code: 0,
    output: `${slug} is no longer served\n`,
    errors: '',
  })
  while ((await status()) === 200) await new Promise(setImmediate)
  assert.equal(await status(), 404)

  assert.equal((await run(service, 'resume', slug)).code, 0)
  while ((await status()) === 404) await new Promise(setImmediate)
  assert.equal(await status(), 200)

  const unknown = await run(service, 'suspend', 'nobody')
  assert.deepEqual([unknown.code, unknown.errors], [1, 'There is no project with the slug "nobody".\n'])
  assert.equal((await run(service, 'suspend')).code, 2)
})
