import assert from 'node:assert/strict'
import { test } from 'node:test'

import { deployFunctions, startFunctionsService } from '../../testing/deployed-functions.ts'
import { browserFor } from '../../testing/hosted-apps.ts'
import { startRawServer } from '../../testing/raw-servers.ts'

const CODE = `export default { async fetch(request) {
  try { return new Response(await (await fetch(new URL(request.url).searchParams.get('url'))).text()) }
  catch (error) { return new Response(error.message) }
} }`

const CALLS_ITSELF = `
let calls = 0
export default { async fetch(request) {
  calls++
  const { pathname } = new URL(request.url)
  try {
    if (pathname === '/calls') return new Response(calls)
    if (pathname === '/without') return await fetch(request.url)
    if (pathname === '/forged') return await fetch(request.url, { headers: { 'cdn-loop': 'other' } })
    return await fetch(request)
  } catch (error) { return new Response(error.message, { status: 508 }) }
} }`

for (const [HOST, expected] of [
  ['127.0.0.1', /^local$/],
  ['0.0.0.0', /is not on the public internet/],
] as const)
  test(`[FUN-05] development code of a service that listens on ${HOST} fetches from this machine: ${String(expected)}`, async (t) => {
    const service = await startFunctionsService('sqlite', {
      HOST,
      SVC_TEST_CLOCK: 'off',
      SVC_SIGN_UP: 'open',
    })
    t.after(() => service.stop())
    const address = await startRawServer(t, (socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlocal')),
    )
    const visit = await browserFor(service)
    const project = await service.newProject()
    await deployFunctions(project.development, CODE)

    assert.match((await visit(`${project.slug}--dev--fn`, `/?url=http://${address}/`)).text, expected)
  })

test('[FUN-12] code that fetches its own URL ends after 16 requests', async (t) => {
  const service = await startFunctionsService('sqlite', {
    HOST: '127.0.0.1',
    SVC_TEST_CLOCK: 'off',
    SVC_SIGN_UP: 'open',
  })
  t.after(() => service.stop())
  const visit = await browserFor(service)
  const project = await service.newProject()
  await deployFunctions(project.development, CALLS_ITSELF)

  for (const path of ['/with-its-headers', '/without', '/forged']) {
    const { status, text } = await visit(`${project.slug}--dev--fn`, path)
    assert.deepEqual(
      [status, text],
      [508, 'This request has passed through functions 16 times: it calls itself.'],
    )
  }
  assert.equal((await visit(`${project.slug}--dev--fn`, '/calls')).text, String(3 * 17 + 1))
})
