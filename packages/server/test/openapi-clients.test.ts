import assert from 'node:assert/strict'
import { test } from 'node:test'

import { endpointList } from '@svc/contract/common/endpoints'
import { openApi } from '@svc/contract/common/openapi'

/** What generators of clients in other languages need of the OpenAPI document. */
type Schema = {
  [keyword: string]: unknown
  $ref?: string
  type?: unknown
  anyOf?: Schema[]
}

const document = openApi({ baseUrl: 'http://localhost:8787', version: '1.2.3' })
const schemas = document.components.schemas as Record<string, Schema>
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    operation: operation as unknown as Operation,
  })),
)
type Body = { required: boolean; content: Record<string, { schema?: Schema }> }
type Operation = { requestBody?: Body; responses: Record<string, { content: Body['content'] }> }
type Refusal = { 'x-error-codes': string[]; description: string; content: Body['content'] }

/** Every object and list of the document, with its path. */
function* parts(value: unknown, path = '#'): Generator<[path: string, schema: Schema]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Schema]
  for (const [key, part] of Object.entries(value)) yield* parts(part, `${path}/${key}`)
}
const all = [...parts(document)]
const where = (isWrong: (schema: Schema) => boolean) =>
  all.filter(([, schema]) => isWrong(schema)).map(([path]) => path)

/**
 * Only what RE2 (Go, Rust), Python and JavaScript read in the same way: `\d` and `\w` are Unicode in Python. RE2 repeats at most
 * 1,000 times.
 */
const isPortable = (pattern: string): boolean =>
  !/\\[^sSx.\\/()[\]{}+*?|^$-]|\\x(?![0-9a-f]{2})|\(\?(?!:)|\{\d{4}|,\d{4}/.test(pattern)

test('[GEN-51] every pattern of the document is one that RE2 and Python also read', () => {
  assert.deepEqual(
    where(({ pattern }) => typeof pattern === 'string' && !isPortable(pattern)),
    [],
  )
})

test('a planted fault is found: patterns that only JavaScript reads', () => {
  const patterns = [
    '\\p{L}',
    '\\d',
    '(?!a)b',
    '(?<=a)b',
    '(?<name>a)',
    '(a)\\1',
    '\\u0000',
    '\\cA',
    'a{1001}',
    '\\x0',
  ]
  assert.deepEqual(patterns.filter(isPortable), [])
  assert.ok(isPortable('^(?:[^\\x00-\\x1f/]|[0-9]{4})+$'))
})

test('[GEN-51] a nullable value has two types, constants are an enum, and no union contains a list', () => {
  const unions = all.filter(([, { anyOf }]) => Array.isArray(anyOf))
  const find = (isWrong: (members: Schema[]) => boolean) =>
    unions.filter(([, { anyOf = [] }]) => isWrong(anyOf)).map(([path]) => path)

  assert.deepEqual(
    find((members) => members.some(({ type }) => type === 'array')),
    [],
  )
  assert.deepEqual(
    find((members) => members.every((member) => 'const' in member)),
    [],
  )
  const isNull = ({ type }: Schema) => type === 'null'
  assert.deepEqual(
    find((members) => {
      const [only, ...others] = members.filter((member) => !isNull(member))
      return members.some(isNull) && others.length === 0 && only?.$ref === undefined
    }),
    [],
  )
  assert.deepEqual(
    where((schema) => Array.isArray(schema.enum) && schema.type === undefined),
    [],
  )
  const email = JSON.stringify(schemas['SignUpWithEmailRequest'])
  assert.match(email, /"format":"email"/)
})

test('[GEN-51] no two fields of an object get the same name in snake_case or PascalCase', () => {
  const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
  const ambiguous = where(({ properties }) => {
    const names = Object.keys((properties ?? {}) as object)
    return new Set(names.map(plain)).size < names.length
  })
  assert.deepEqual(ambiguous, [])
})

test('[GEN-51] no schema has the name of a constructor that generators for Go write', () => {
  const names = Object.keys(schemas)
  const made = new Set(names.flatMap((name) => [`New${name}`, `New${name}WithDefaults`, `Nullable${name}`]))
  assert.deepEqual(
    names.filter((name) => made.has(name)),
    [],
  )
})

test('[GEN-51] every body has a type: JSON objects have names, and files are binary', () => {
  const bodies = operations.flatMap(({ route, operation: { requestBody, responses } }) =>
    [requestBody, ...Object.values(responses)]
      .flatMap((body) => Object.entries(body?.content ?? {}))
      .map(([type, { schema = {} }]) => ({ route, type, schema })),
  )
  const unnamed = bodies.filter(({ schema }) => schema.properties !== undefined || schema.anyOf)
  const untyped = bodies.filter(({ schema }) => schema.$ref === undefined && schema.type === undefined)
  const files = bodies.filter(({ type }) => type === 'application/octet-stream' || type === 'image/png')

  assert.deepEqual([unnamed, untyped], [[], []])
  assert.ok(files.length > 3)
  assert.deepEqual(
    files.filter(({ schema }) => schema.format !== 'binary'),
    [],
  )
})

test('[GEN-52] every error has the one schema Error; its codes are in x-error-codes and in the description', () => {
  const refusals = Object.values(document.components.responses ?? {}) as Refusal[]
  assert.ok(refusals.length > 100)
  for (const { content, description, 'x-error-codes': codes } of refusals) {
    assert.deepEqual(content['application/json']?.schema, { $ref: '#/components/schemas/Error' })
    for (const code of codes) assert.ok(description.includes(`\`${code}\``), code)
  }
})

test('[GEN-52] every operation lists 431', () => {
  const missing = operations.filter(({ operation }) => !('431' in operation.responses))
  assert.deepEqual(missing, [])
})

test('[GEN-53] a body is required only if one of its fields is', () => {
  const bodyOf = (route: string) =>
    operations.find((operation) => operation.route === route)?.operation.requestBody?.required

  assert.equal(bodyOf('POST /v1/auth/guest'), false)
  assert.equal(bodyOf('POST /v1/admin/players/{playerId}/unban'), false)
  assert.equal(bodyOf('POST /v1/admin/functions/enable'), false)
  assert.equal(bodyOf('POST /v1/auth/email/signup'), true)
  assert.equal(bodyOf('PUT /v1/config'), true)
})

test('[GEN-53] closed lists and names are in the document: tools of agents, channels of a server', () => {
  const text = JSON.stringify(document)
  const tools = schemas['GrantedTool']?.['enum'] as string[]
  const uses = text.split('"#/components/schemas/GrantedTool"').length - 1

  assert.ok(tools.includes('ban_player') && tools.includes('deploy_files'))
  assert.equal(
    uses,
    endpointList.filter(({ name }) => ['createAgent', 'grantAuthorization'].includes(name)).length,
  )
  assert.match(text, /"name":"name","in":"path","required":true,"schema":\{[^}]*"pattern":"\^@/)
})
