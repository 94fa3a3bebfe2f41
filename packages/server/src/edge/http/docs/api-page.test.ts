import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { addressesOf } from '@svc/contract/endpoint'
import { endpointList, endpointsOf, type Part } from '@svc/contract/endpoints'
import { ERRORS } from '@svc/contract/errors'
import { Type } from 'typebox'
import { Check } from 'typebox/value'

import { apiPage } from './api-page.ts'
import { curl, exampleOf } from './examples.ts'
import { boundsOf, shapeOf, typeOf } from './shape.ts'

const options = { baseUrl: 'http://localhost:8787', version: '1.2.3' }
const { body, headers } = apiPage(options)

test('the API page shows every endpoint with all its URLs, and every error', () => {
  const text = body.replaceAll('<wbr />', '').replace(/<\/?i>/g, '')
  for (const endpoint of endpointList) {
    assert.ok(body.includes(`<article class="endpoint" id="${endpoint.name}"`), endpoint.name)
    for (const { path } of addressesOf(endpoint)) assert.ok(text.includes(`<code>${path}</code>`), path)
  }
  for (const code of Object.keys(ERRORS)) assert.ok(body.includes(`id="error-${code}"`), code)
})

test('the API page loads nothing from other hosts', () => {
  const references = [...body.matchAll(/\b(?:src|href|action)="([^"]*)"/g)].map(([, address = '']) => address)
  const elsewhere = references.filter(
    (address) => !/^(#[\w-]+|data:,|\/openapi\.json|\/docs\/guide\/README\.md)$/.test(address),
  )
  assert.deepEqual(elsewhere, [])
  assert.doesNotMatch(body, /@import|url\(|\bimport\(/)
})

test('links inside the API page have a target', () => {
  const ids = new Set([...body.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id))
  const missing = [...body.matchAll(/href="#([^"]+)"/g)].filter(([, id]) => !ids.has(id))
  assert.deepEqual(missing, [])
})

test('the content security policy of the API page allows only its own style and script, by their hashes', () => {
  const policy = headers['Content-Security-Policy'] ?? ''
  for (const tag of ['style', 'script']) {
    const [, text = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(body) ?? []
    const hash = createHash('sha256').update(text).digest('base64')
    assert.ok(text.length > 1_000, tag)
    assert.ok(policy.includes(`${tag}-src 'sha256-${hash}';`), tag)
  }
  assert.doesNotMatch(policy, /unsafe/)
  assert.doesNotMatch(body, /\son\w+="|\sstyle="/)
})

test('text of the contract cannot become markup', () => {
  const hostile = '</code><img src=x onerror="x()">'
  const endpoint = {
    route: 'POST /v1/hostile',
    caller: 'none',
    summary: hostile,
    body: Type.Object({ [hostile]: Type.String({ description: hostile, default: hostile }) }),
    response: Type.Object({}),
  }
  const parts: Part[] = [
    { id: 'a', title: hostile, about: hostile, endpoints: endpointsOf({ endpoint }), shapes: {} },
  ]

  assert.doesNotMatch(apiPage({ ...options, parts }).body, /<img/)
})

test('the example bodies of the API page are accepted by the contract', () => {
  for (const { name, body: schema } of endpointList) {
    if (schema) assert.ok(Check(schema, exampleOf(shapeOf(schema))), name)
  }
})

test('a curl example carries the headers of its caller', () => {
  const at = (route: `GET /${string}` | `PUT /${string}`) => addressesOf({ route, caller: 'admin' })
  const [server, developer] = at('GET /v1/config')
  const [push] = at('PUT /v1/config')
  assert.ok(server && developer && push)

  assert.equal(
    curl('http://localhost', server, undefined),
    'curl "http://localhost/v1/config" \\\n  -H "X-Svc-Key: $SVC_DEVELOPMENT_SECRET_KEY"',
  )
  assert.equal(
    curl('http://localhost', developer, undefined),
    'curl "http://localhost/v1/projects/$PROJECT_ID/environments/development/config" \\\n' +
      '  -H "Authorization: Bearer $SVC_DEVELOPER_TOKEN"',
  )
  assert.match(curl('http://localhost', push, { it: "isn't" }), /-X PUT .*Content-Type.*isn'\\''t/s)
})

test('types and bounds are shown as a programmer writes them', () => {
  assert.equal(typeOf(shapeOf(Type.Union([Type.Literal('a'), Type.Null()]))), '"a" | null')
  assert.equal(
    typeOf(shapeOf(Type.Array(Type.Union([Type.String(), Type.Integer()])))),
    '(string | integer)[]',
  )
  assert.equal(typeOf(shapeOf(Type.Record(Type.String(), Type.Boolean()))), 'map of boolean')
  assert.deepEqual(boundsOf(shapeOf(Type.String({ minLength: 1, maxLength: 80 }))), ['1 to 80 characters'])
  assert.deepEqual(boundsOf(shapeOf(Type.Integer({ minimum: 1, maximum: 2_000, default: 50 }))), [
    '1 to 2,000',
    'default 50',
  ])
})
