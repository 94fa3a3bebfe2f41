import assert from 'node:assert/strict'
import { test } from 'node:test'

import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointList, endpointsOf, type Part, PARTS } from '@svc/contract/common/endpoints'
import { Type } from 'typebox'
import { Check } from 'typebox/value'

import { apiPart, apiStart } from './api-pages.ts'
import { curl, exampleOf } from './examples.ts'
import { boundsOf, shapeOf, typeOf } from './shape.ts'

const BASE_URL = 'http://localhost:8787'

test('[DOC-04] every endpoint is in the list, and on the page of its part with its addresses, callers and errors', () => {
  const start = apiStart(BASE_URL, PARTS).html
  for (const part of PARTS) {
    const { html } = apiPart(BASE_URL, part)
    const text = html.replaceAll('<wbr />', '').replace(/<\/?i>/g, '')
    for (const endpoint of part.endpoints) {
      const { name, body, errors = [] } = endpoint
      assert.ok(start.includes(`href="/docs/api/${part.id}#${name}"`), name)
      const [, section = ''] = text.split(`<article class="endpoint" id="${name}">`)
      const [own = ''] = section.split('</article>')
      for (const { path, method } of addressesOf(endpoint)) {
        assert.ok(own.includes(`<code>${path}</code>`), path)
        assert.ok(own.includes(`>${method}</b>`), path)
      }
      assert.ok(own.includes('<summary>curl '), name)
      assert.match(own, /<h3>Response \d{3}<\/h3>/, name)
      if (body) assert.ok(own.includes('<h3>Body</h3>'), name)
      for (const code of errors) assert.ok(own.includes(`href="/docs/errors#${code}"`), `${name} ${code}`)
    }
  }
})

test('[DOC-04] text of the contract cannot become markup', () => {
  const hostile = '</code><img src=x onerror="x()">'
  const endpoint = {
    route: 'POST /v1/hostile',
    caller: 'none',
    summary: hostile,
    body: Type.Object({ [hostile]: Type.String({ description: hostile, default: hostile }) }),
    response: Type.Object({}),
  }
  const part: Part = {
    id: 'a',
    title: hostile,
    about: hostile,
    endpoints: endpointsOf({ endpoint }),
    shapes: {},
  }

  assert.doesNotMatch(apiPart(BASE_URL, part).html, /<img/)
  assert.doesNotMatch(apiStart(BASE_URL, [part]).html, /<img/)
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

test('types and bounds read as a programmer writes them', () => {
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
