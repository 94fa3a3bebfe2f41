import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newApp } from '../../../testing/hosted-apps.ts'
import { startService } from '../../../testing/service.ts'
import { suite } from '../../../testing/suite.ts'

const PER_MINUTE = 5
const settings = {
  SVC_BASE_URL: 'https://api.example.com',
  SVC_APPS_DOMAIN: 'apps.example.com',
  SVC_LIMIT_PUBLIC_PER_MINUTE: String(PER_MINUTE),
}

suite('the question of a proxy', { start: (engine) => startService(engine, { settings }) }, ({ service }) => {
  const ask = (domain: string, remoteAddress = '127.0.0.1') =>
    service.http.inject({
      url: `/v1/platform/domain?${new URLSearchParams({ domain })}`,
      headers: { host: 'svc:8787' },
      remoteAddress,
    })

  test('[OPS-10] every host of an app is known, also without a deployment, and so is the host of the API', async () => {
    const { slug } = await newApp(service)
    const domains = [
      'api.example.com',
      ...[slug, `${slug}--dev`, `${slug}--fn`, `${slug}--dev--fn`].map(
        (label) => `${label}.apps.example.com`,
      ),
    ]
    for (const domain of domains) {
      const answer = await ask(domain)
      assert.equal(answer.statusCode, 200, domain)
      assert.deepEqual(answer.json(), { domain })
    }
    assert.equal((await ask(`${slug.toUpperCase()}.Apps.Example.com.`)).statusCode, 200)
  })

  test('[OPS-10] every other name answers 404 not_found', async () => {
    const { slug } = await newApp(service)
    const names = [
      'nobody.apps.example.com',
      'apps.example.com',
      `${slug}.example.com`,
      `a.${slug}.apps.example.com`,
      `${slug}--other.apps.example.com`,
      `${slug}.apps.example.com.evil.example`,
      '203.0.113.7',
      '*.apps.example.com',
      '--fn.apps.example.com',
    ]
    for (const [index, domain] of names.entries()) {
      const answer = await ask(domain, `198.51.100.${index}`)
      assert.equal(answer.statusCode, 404, domain)
      assert.equal(answer.json().error.code, 'not_found')
    }
  })

  test('[OPS-10] names of no app are limited per address; names of apps are not', async () => {
    const { slug } = await newApp(service)
    const address = '192.0.2.1'
    for (let i = 0; i < PER_MINUTE; i++)
      assert.equal((await ask(`nobody-${i}.apps.example.com`, address)).statusCode, 404)
    const refused = await ask('nobody-more.apps.example.com', address)
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    for (let i = 0; i <= PER_MINUTE; i++)
      assert.equal((await ask(`${slug}.apps.example.com`, address)).statusCode, 200)
  })

  test('[OPS-10] a domain of 253 characters is looked up, a longer one and none are rejected', async () => {
    const longest = `${'a'.repeat(253 - '.apps.example.com'.length)}.apps.example.com`
    assert.equal((await ask(longest, '192.0.2.2')).statusCode, 404)
    assert.equal((await ask(`a${longest}`, '192.0.2.2')).statusCode, 400)
    assert.equal((await ask('', '192.0.2.2')).statusCode, 400)
  })
})
