import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as TypeBox from 'typebox'

import { Type } from './schema.ts'

const described = { description: 'a value', default: null }

/** Schemas that use every function, with and without options. */
const schemasOf = (build: typeof Type) => [
  build.String(),
  build.String({ minLength: 1, pattern: '^a', ...described }),
  build.Integer({ minimum: 1 }),
  build.Number({ maximum: 0.5 }),
  build.Boolean(described),
  build.Null(),
  build.Unknown(),
  build.Unknown(described),
  build.Literal('one'),
  build.Literal(1, described),
  build.Literal(true),
  build.Enum(['a', 'b'], described),
  build.Union([build.String(), build.Null()], described),
  build.Array(build.Integer(), { maxItems: 3 }),
  build.Record(build.String(), build.Unknown(), described),
  build.Record(build.String({ pattern: '^[a-z]$', maxLength: 1 }), build.Boolean()),
  build.Object({}),
  build.Object({ only: build.Optional(build.String()) }),
  build.Object(
    {
      first: build.Integer(),
      left: build.Optional(build.Array(build.String(), described)),
      last: build.Object({ inner: build.Optional(build.Optional(build.Null())) }),
    },
    { additionalProperties: false, ...described },
  ),
  build.Unsafe<number>({ type: 'integer' }),
]

test('the schemas are those of TypeBox, in every detail of their JSON', () => {
  const [own, library] = [schemasOf(Type), schemasOf(TypeBox.Type)]
  assert.deepEqual(
    own.map((schema) => JSON.stringify(schema)),
    library.map((schema) => JSON.stringify(schema)),
  )
})

test('an optional schema can be used as a required one elsewhere', () => {
  const Name = Type.String()
  assert.deepEqual(Type.Object({ name: Type.Optional(Name) }), {
    type: 'object',
    properties: { name: { type: 'string' } },
  })
  assert.deepEqual(Type.Object({ name: Name }).required, ['name'])
})
