import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startService } from '../../../testing/service.ts'
import { startPage } from './start-page.ts'

const bodyAt = (baseUrl: string) => startPage({ baseUrl, version: '1.2.3' }).body

test('the root of the service is a page, and the pages it links to exist', async () => {
  const service = await startService('sqlite')
  try {
    const get = (url: string) => service.http.inject({ method: 'GET', url })
    const { statusCode, headers, body } = await get('/')
    assert.equal(statusCode, 200)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(body, /svc is running/)
    const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link)
    assert.ok(links.length >= 3)
    for (const link of links) assert.equal((await get(link)).statusCode, 200, link)
  } finally {
    await service.stop()
  }
})

test('the commands on the start page contain the address only if it is not the default of svc', () => {
  assert.match(bodyAt('http://localhost:8787'), /npm run svc -- new \.\.\/star-duel\n/)
  assert.match(
    bodyAt('http://localhost:9000'),
    /npm run svc -- new \.\.\/star-duel --url http:\/\/localhost:9000\n/,
  )
})

test('the start page shows no commands if the service is not on this machine', () => {
  assert.doesNotMatch(bodyAt('https://api.example.com'), /npx/)
})
