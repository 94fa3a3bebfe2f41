import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'

import { EXIT_CODES } from '../src/output/failure.ts'
import { downloadPackages } from '../src/project/package-files.ts'
import { integrityOf } from '../src/service/packages.ts'
import { type TestSetup, startTestSetup } from './cli.ts'

const SVC_KEY = 'sk_dev_00000000000000000000000000000000'

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
})
after(() => setup.stop())

async function listen(t: TestContext, answer: RequestListener) {
  const server = createServer((request, response) => {
    response.setHeader('X-Request-Id', 'req_1')
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a key never follows a redirect to another server; the target is reported', async (t) => {
  const asked: string[] = []
  const other = await listen(t, ({ url = '' }, answer) => {
    asked.push(url)
    answer.end('{"deployments":[]}')
  })
  const url = await listen(t, (_, answer) => void answer.writeHead(307, { Location: `${other}/v1` }).end())
  const { code, err } = await setup.svc(['deploys'], { variables: { SVC_URL: url, SVC_KEY } })

  assert.equal(code, EXIT_CODES.unreachable.code)
  assert.deepEqual(asked, [])
  assert.ok(err.includes(`✖ ${url} redirects to ${other}.`), err)
  assert.match(err, /→ If that is your service, use that URL: --url or SVC_URL/)
})

test('terminal escape sequences and bidi characters in responses are replaced', async (t) => {
  const message = 'No.\u001b[2J\u202e\r'
  const url = await listen(t, (_, answer) => {
    answer.writeHead(403).end(JSON.stringify({ error: { code: 'forbidden', message } }))
  })
  const { code, err, out } = await setup.svc(['deploys', '--json'], { variables: { SVC_URL: url, SVC_KEY } })

  assert.equal(code, EXIT_CODES.refused.code)
  assert.match(err, /✖ No\.\ufffd\[2J\ufffd\ufffd \(forbidden\)/)
  assert.equal(JSON.parse(out).error.message, message)
})

test('[OPS-02] packages are taken only from a complete list, and only with the listed contents', async (t) => {
  const tarball = Buffer.from('packed')
  const listed = (name: string, change: object = {}) => ({
    name: `@svc/${name}`,
    version: '0.1.0',
    file: `svc-${name}-0.1.0.tgz`,
    bytes: tarball.length,
    integrity: integrityOf(tarball),
    ...change,
  })
  let list: unknown
  const url = await listen(t, ({ url: path = '' }, answer) => {
    if (path === '/packages/') answer.end(typeof list === 'string' ? list : JSON.stringify(list))
    else answer.end(tarball)
  })
  const refused: [list: unknown, message: RegExp][] = [
    ['<html>', /does not offer svc’s packages/],
    ['null', /does not offer/],
    [{ packages: 'all' }, /does not offer/],
    [{ packages: [listed('cli')] }, /does not offer/],
    [{ packages: [listed('cli'), listed('sdk', { file: '../../sdk.tgz' })] }, /does not offer/],
    [{ packages: [listed('cli'), listed('sdk', { version: '../x', file: 'svc-sdk-../x.tgz' })] }, /does not/],
    [{ packages: [listed('cli'), listed('sdk', { file: 'svc-cli-0.1.0.tgz' })] }, /does not offer/],
    [' '.repeat(64 * 1024 + 1), /does not offer/],
    [{ packages: [listed('cli'), listed('sdk', { integrity: 'sha512-x' })] }, /its integrity differs/],
  ]
  for (const [given, message] of refused) {
    list = given
    await assert.rejects(downloadPackages(url), { message })
  }
  list = { packages: [listed('sdk'), listed('cli')] }
  assert.deepEqual(
    (await downloadPackages(url)).map(({ name, content }) => [name, content.toString()]),
    [
      ['@svc/cli', 'packed'],
      ['@svc/sdk', 'packed'],
    ],
  )
  const moved = await listen(t, (_, answer) => void answer.writeHead(302, { Location: url }).end())
  await assert.rejects(downloadPackages(moved), { message: /redirects to/ })
})

test('[OPS-02] svc new creates nothing on a service that offers no packages', async (t) => {
  const url = await listen(t, ({ url: path = '' }, answer) => {
    if (path.startsWith('/packages')) return void answer.writeHead(404).end('{}')
    answer.end(JSON.stringify({ developer: { id: 'dev_1', email: 'a@example.com' }, email: 'a@example.com' }))
  })
  const variables = { SVC_URL: url, SVC_TOKEN: 'kds_00000000000000000000000000000000' }
  const { code, err } = await setup.svc(['new', 'nowhere'], { variables })
  assert.equal(code, EXIT_CODES.unreachable.code, err)
  assert.match(err, /does not offer svc’s packages at .*\n {2}→ Check the URL/)
  assert.ok(!existsSync(join(setup.root, 'nowhere')))
})

test('[RWC-73] the names in a recording of a room cannot become code of the test', async (t) => {
  const recording = { roomId: 'rom_1', className: 'Arena', version: 1, tickRate: 0, start: null, turns: [] }
  for (const wrong of [
    { className: "Arena } from 'node:fs'; process.exit(); import { x" },
    { className: '' },
    { roomId: "rom_1', () => {}); process.exit(); ('" },
    { version: '1\nprocess.exit()' },
  ]) {
    const url = await listen(t, (_, answer) => void answer.end(JSON.stringify({ ...recording, ...wrong })))
    const variables = { SVC_URL: url, SVC_KEY }
    const { code, err } = await setup.svc(['rooms', 'record', 'rom_1'], { variables })
    assert.deepEqual([code === 0, /names that cannot be in a program/.test(err)], [false, true], err)
  }
})
