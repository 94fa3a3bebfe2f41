import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'

import { EXIT_CODES } from '../src/output/failure.ts'
import { type TestSetup, startTestSetup } from './cli.ts'

const SVC_KEY = 'sk_dev_00000000000000000000000000000000'

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
})
after(() => setup.stop())

async function listen(t: TestContext, answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
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
