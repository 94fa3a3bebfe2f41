import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Service, startService } from '../../../testing/service.ts'

let service: Service
before(async () => {
  service = await startService('sqlite')
})
after(() => service.stop())

const get = (url: string) => service.http.inject({ method: 'GET', url })

test('all pages that llms.txt lists exist', async () => {
  const { statusCode, headers, body } = await get('/llms.txt')
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  const links = [...body.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = '']) => link)
  assert.ok(links.length > 15)
  for (const link of links) assert.equal((await get(link)).statusCode, 200, link)
})

test('a page is Markdown, and the pages it links to exist', async () => {
  const { headers, body } = await get('/docs/guide/README.md')
  assert.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  for (const [, link = ''] of body.matchAll(/\]\(([^):#]+)\)/g)) {
    const { pathname } = new URL(link, 'http://localhost/docs/guide/README.md')
    assert.equal((await get(pathname)).statusCode, 200, link)
  }
})

test('the schema of the config document is served for editors', async () => {
  const { headers, body } = await get('/docs/svc.config.schema.json')
  assert.equal(headers['content-type'], 'application/schema+json; charset=utf-8')
  assert.ok('features' in JSON.parse(body).properties)
})

for (const url of [
  '/docs/nothing.md',
  '/docs/openapi.json',
  '/docs/guide',
  '/docs/decisions/0008-hosting-manifests.md',
  '/docs/..%2fREADME.md',
  '/docs/guide/..%2ferrors.md',
  '/docs/%2e%2e%2fpackage.json',
  '/docs/errors.md%20',
]) {
  test(`${url} answers 404`, async () => {
    const { statusCode, body } = await get(url)
    assert.deepEqual([statusCode, JSON.parse(body).error.code], [404, 'not_found'])
  })
}
