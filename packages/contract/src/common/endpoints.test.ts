import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { addressesOf, errorsOf } from './endpoint.ts'
import { endpointList, endpointsOf, PARTS } from './endpoints.ts'
import { ERRORS } from './errors.ts'
import { FEATURES } from './features.ts'

const contract = join(import.meta.dirname, '..')

test('every endpoint that a module exports is in the list', async () => {
  const files = globSync('**/*.ts', { cwd: contract }).filter(
    (file) => !/\.test\.ts$|\/endpoints\.ts$/.test(file),
  )
  const modules = await Promise.all(files.map(async (file): Promise<object> => import(join(contract, file))))
  const exported = modules.flatMap(endpointsOf).map(({ name }) => name)

  assert.ok(exported.length > 20, 'the modules were not found')
  assert.deepEqual(endpointList.map(({ name }) => name).toSorted(), exported.toSorted())
})

test('no two endpoints have the same name, no two parts the same title, no two shapes the same name', () => {
  assert.deepEqual(repeated(endpointList.map(({ name }) => name)), [])
  assert.deepEqual(repeated(PARTS.flatMap(({ id, title }) => [id, title])), [])
  assert.deepEqual(repeated(PARTS.flatMap(({ shapes }) => Object.keys(shapes))), [])
})

test('[GEN-46] no two endpoints have the same address, also with other parameter names', () => {
  const addresses = endpointList
    .flatMap(addressesOf)
    .map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)

  assert.deepEqual(repeated(addresses), [])
})

test('[GEN-20] every endpoint is under /v1, except the health checks for operators', () => {
  const elsewhere = endpointList.flatMap(addressesOf).filter(({ path }) => !path.startsWith('/v1/'))

  assert.deepEqual(elsewhere.map(({ path }) => path).toSorted(), ['/healthz', '/readyz'])
})

test('parameters of the path are described, and nothing else is', () => {
  for (const { name, route, params } of endpointList) {
    const inPath = [...route.matchAll(/:(\w+)/g)].map(([, param = '']) => param)
    const described = Object.keys((params as { properties?: object } | undefined)?.properties ?? {})
    assert.deepEqual(described.toSorted(), inPath.toSorted(), name)
  }
})

test('endpoints list only codes and features that exist, and no code twice', () => {
  for (const endpoint of endpointList) {
    for (const code of errorsOf(endpoint)) assert.ok(code in ERRORS, `${endpoint.name}: ${code}`)
    if (endpoint.feature) assert.ok(endpoint.feature in FEATURES, endpoint.name)
    assert.deepEqual(repeated(endpoint.errors ?? []), [], endpoint.name)
  }
})

const repeated = (texts: readonly string[]) => texts.filter((text, index) => texts.indexOf(text) !== index)
