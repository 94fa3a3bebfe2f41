import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Validator } from '@seriousme/openapi-schema-validator'
import { addressesOf, errorsOf } from '@svc/contract/common/endpoint'
import { endpointList } from '@svc/contract/common/endpoints'
import { ERRORS } from '@svc/contract/common/errors'
import { openApi } from '@svc/contract/common/openapi'

type Operation = {
  operationId: string
  security: object[]
  parameters: { name: string; in: string; required: boolean }[]
  responses: Record<string, { $ref: string }>
}

const document = openApi({ baseUrl: 'http://localhost:8787', version: '1.2.3' })
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    address: `${method.toUpperCase()} ${path}`,
    operation: operation as unknown as Operation,
  })),
)
const operationAt = (address: string) =>
  operations.find((operation) => operation.address === address)?.operation ??
  assert.fail(`nothing at ${address}`)

test('[GEN-16] the OpenAPI document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  assert.deepEqual(errors, undefined)
  assert.equal(valid, true)
})

test('a planted fault is found: an invalid document', async () => {
  const broken = { ...structuredClone(document), paths: { 'no-slash': { get: { responses: 'none' } } } }
  assert.equal((await new Validator().validate(broken)).valid, false)
})

test('[GEN-46] the document contains every endpoint, and admin endpoints at both paths', () => {
  const expected = endpointList
    .flatMap(addressesOf)
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)

  assert.deepEqual(operations.map(({ address }) => address).toSorted(), expected.toSorted())
})

test('a named schema is defined once and referenced', () => {
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name = '']) => name,
  )
  const schemas = document.components.schemas ?? {}

  assert.ok(references.includes('ConfigDocument'))
  assert.deepEqual(
    references.filter((name) => !(name in schemas)),
    [],
  )
})

test('operation ids are unique', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length)
})

test('[GEN-33] each path requires the credentials of its caller', () => {
  assert.deepEqual(operationAt('GET /v1/config').security, [{ secretKey: [] }])
  assert.deepEqual(operationAt('GET /v1/projects/{projectId}/environments/{env}/config').security, [
    { developerToken: [] },
  ])
  assert.deepEqual(operationAt('GET /healthz').security, [])
})

test('the path below a project has the project and the environment as parameters', () => {
  const { parameters } = operationAt('GET /v1/projects/{projectId}/environments/{env}/config')
  assert.deepEqual(
    parameters.map(({ name, in: place, required }) => [name, place, required]),
    [
      ['projectId', 'path', true],
      ['env', 'path', true],
    ],
  )
})

test('every error is listed under its status', () => {
  for (const endpoint of endpointList.filter(({ caller }) => caller !== 'admin')) {
    const { responses } =
      operations.find(({ operation }) => operation.operationId === endpoint.name)?.operation ?? {}
    for (const code of errorsOf(endpoint)) {
      const name = responses?.[ERRORS[code].status]?.$ref.replace('#/components/responses/', '') ?? ''
      const refusal = (document.components.responses as Record<string, object>)[name]
      assert.match(JSON.stringify(refusal), new RegExp(`"${code}"`), `${endpoint.name}: ${code}`)
    }
  }
})
