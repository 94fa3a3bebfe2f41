import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'

import { endpointList } from './endpoints.ts'
import { FRAMES } from './frames.ts'
import { problem, problemsIn } from './problems.ts'
import { Id, Limit, Line, Nullable } from './schemas.ts'

/** Every schema that a request is checked against. */
const REQUESTS: [name: string, schema: TSchema][] = [
  ...endpointList.flatMap(({ name, params, query, body }) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]): [string, TSchema][] =>
      schema ? [[`${name} ${part}`, schema]] : [],
    ),
  ),
  ...FRAMES.map(({ t, fields }): [string, TSchema] => [`frame ${t}`, fields]),
]

const sentence = (schema: TSchema, value: unknown) =>
  problemsIn(Type.Object({ field: Type.Optional(schema) }), { field: value })[0]?.message

describe('[GEN-06] the problems of a request are sentences', () => {
  const sentences: [schema: TSchema, values: unknown[], says: string][] = [
    [Line(1, 32), ['', 'x'.repeat(33), 1, null, [], {}], 'field must be text of 1 to 32 characters'],
    [Line(1, 32), ['a\u0007b', 'a\nb'], 'field must not contain control characters'],
    [Type.String({ minLength: 8 }), ['short', true], 'field must be text of at least 8 characters'],
    [Type.String({ minLength: 1 }), [''], 'field must be text that is not empty'],
    [Type.String({ maxLength: 3 }), ['😀😀😀😀'], 'field must be text of at most 3 characters'],
    [Type.String(), [1], 'field must be text'],
    [Limit(), [0, 201, 1.5, '7', NaN], 'field must be a whole number from 1 to 200'],
    [Type.Integer({ minimum: 0 }), [-1], 'field must be a whole number of at least 0'],
    [Type.Number({ maximum: 5 }), [6], 'field must be a number of at most 5'],
    [
      Type.Number({ exclusiveMinimum: 0, maximum: 8_784 }),
      [0, 8_785],
      'field must be a number above 0, at most 8784',
    ],
    [Type.Boolean(), [1, 'true'], 'field must be true or false'],
    [Type.Enum(['open', 'closed']), ['x', 1], 'field must be one of open, closed'],
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), ['x'], 'field must be one of a, b'],
    [Type.Literal(true), [false, 'true'], 'field must be true'],
    [Nullable(Type.Integer()), ['x'], 'field must be a whole number or null'],
    [Type.Union([Type.Literal(true), Type.Object({})]), [1], 'field must be true or an object'],
    [Type.Array(Type.String(), { minItems: 1, maxItems: 2 }), [[]], 'field must be a list of 1 to 2 entries'],
    [Type.Array(Type.String()), [{}], 'field must be a list'],
    [Type.Record(Type.String(), Type.Number()), [[], 'x'], 'field must be an object'],
    [Id, ['x', 1], 'field must be an id like ply_01kc8wq4x2e5m7v9b3n6t1h8d0'],
  ]
  for (const [schema, values, says] of sentences) {
    test(says, () => {
      for (const value of values) assert.equal(sentence(schema, value), says, JSON.stringify(value))
    })
  }

  test('a nested field is reported with its path, also if it is missing, and the body by its type', () => {
    const schema = Type.Object({ to: Type.Array(Type.Object({ name: Line(1, 3), age: Type.Integer() })) })
    assert.deepEqual(problemsIn(schema, { to: [{ name: 'Ada', age: 1 }, { name: '' }] }), [
      { path: '$.to[1].age', message: 'to[1].age is required' },
      { path: '$.to[1].name', message: 'to[1].name must be text of 1 to 3 characters' },
    ])
    for (const value of [null, 1, 'x', [], undefined])
      assert.deepEqual(problemsIn(schema, value), [{ path: '$', message: 'the body must be an object' }])
    assert.deepEqual(problem('$.name', 'is taken'), { path: '$.name', message: 'name is taken' })
  })

  test('a long key is shortened, and a value is never repeated', () => {
    const schema = Type.Object({ state: Type.Record(Type.String(), Type.Number()) })
    const [found] = problemsIn(schema, { state: { [`"${'k'.repeat(500)}`]: 'hunter2' } })
    assert.ok((found?.message.length ?? 0) < 120, found?.message ?? '')
    assert.doesNotMatch(found?.message ?? '', /hunter2/)
  })

  test('all problems are reported, up to 100', () => {
    const schema = Type.Object({ to: Type.Array(Type.String()) })
    assert.equal(problemsIn(schema, { to: Array(99).fill(1) }).length, 99)
    assert.equal(problemsIn(schema, { to: Array(101).fill(1) }).length, 100)
    assert.equal(problemsIn(schema, { to: Array(101).fill(1) }, 20).length, 20)
  })

  test('a list that is too long is one problem, and is not checked beyond its limit', () => {
    const schema = Type.Object({ to: Type.Array(Type.String(), { maxItems: 3 }) })
    let looked = 0
    const items: unknown[] = ['a', 1, 'c', ...Array(1_000).fill(1)]
    const to = new Proxy(items, { get: (list, at) => (looked++, Reflect.get(list, at)) })
    assert.deepEqual(
      problemsIn(schema, { to }).map(({ path }) => path),
      ['$.to', '$.to[1]'],
    )
    assert.ok(looked < 50, `looked ${looked} times`)
  })
})

/** Every schema in a schema, with its path. */
function* within(schema: unknown, path: string): Generator<[path: string, schema: Record<string, unknown>]> {
  if (typeof schema !== 'object' || schema === null) return
  if ('type' in schema || 'enum' in schema) yield [path, schema as Record<string, unknown>]
  for (const [key, part] of Object.entries(schema)) yield* within(part, `${path}.${key}`)
}

test('[GEN-06] every pattern of a request has a description', () => {
  const speechless = REQUESTS.filter(([name]) => name !== 'pushConfig body')
    .flatMap(([name, schema]) => [...within(schema, name)])
    .filter(([, { pattern, patternErrorMessage }]) => pattern !== undefined && !patternErrorMessage)
  assert.deepEqual(
    speechless.map(([path]) => path),
    [],
  )
})

test('[GEN-06] for every request, an input that the validator rejects has a problem, and a valid one has none', () => {
  const values = [
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    1e300,
    '',
    ' ',
    'x',
    'development',
    'ply_1',
    'a@b.c',
    'x'.repeat(70),
    'x'.repeat(9_000),
    [],
    [1],
    ['ply_1'],
    {},
    { mode: 'sfu' },
    { mode: 'x' },
    [{ path: 'a', sha256: 'a'.repeat(64), size: 1 }],
    [{ path: '', sha256: 'A', size: -1 }],
  ]
  let refused = 0
  for (const [name, schema] of REQUESTS) {
    const validator = Compile(schema)
    const names = Object.keys((schema as { properties?: object }).properties ?? {})
    // Each field with each value, while all other fields are absent or have another value.
    for (const [at, first] of values.entries()) {
      const other = values[(at * 7 + 3) % values.length]
      for (const whole of [
        first,
        ...names.map((field) => ({ [field]: first })),
        ...names.map((field) => ({
          ...Object.fromEntries(names.map((one) => [one, other])),
          [field]: first,
        })),
      ]) {
        const problems = problemsIn(schema, whole)
        assert.equal(
          problems.length === 0,
          validator.Check(whole),
          `${name} ${JSON.stringify(whole).slice(0, 200)}`,
        )
        for (const { message } of problems) assert.match(message, / (?:must|is required)/)
        if (problems.length > 0) refused++
      }
    }
  }
  assert.ok(refused > 1_000, String(refused))
})
