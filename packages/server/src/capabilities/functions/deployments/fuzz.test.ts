import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { anyCharacter } from '../../../testing/any-character.ts'
import { deployFunctions, deploymentOf, startFunctionsService } from '../../../testing/deployed-functions.ts'
import { runs } from '../../../testing/runs.ts'
import { suite } from '../../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const GOOD = 'export class Room {}\nexport default { fetch: () => new Response("good") }'

/** Code of every kind that is refused, or started. */
const code = fc.oneof(
  { arbitrary: fc.constant(GOOD), weight: 2 },
  fc.constantFrom(
    '',
    'export default 1',
    'export default {',
    'throw new Error("é\u0000")',
    'import "nowhere"',
    '\ufeff',
  ),
  fc.string({ unit: anyCharacter }),
)
const text = fc.oneof(
  fc.constantFrom(
    '',
    'A',
    'db',
    'd1',
    'esm',
    'wasm',
    'json',
    'index.js',
    './index.js',
    'SVC',
    '__proto__',
    'Room',
    '* * * * *',
    '2026-01-01',
  ),
  fc.string({ unit: anyCharacter }),
)
const value = fc.oneof(
  text,
  fc.integer(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.object({ maxDepth: 2 }),
)
/** What replaces a part of a good deployment. */
const changes = fc.record(
  {
    mainModule: value,
    bindings: fc.oneof(
      fc.array(
        fc.record({ type: text, name: text, id: text, queue: text, className: text }, { requiredKeys: [] }),
        {
          maxLength: 3,
        },
      ),
      value,
    ),
    vars: fc.oneof(fc.dictionary(text, text, { maxKeys: 3 }), value),
    crons: fc.oneof(fc.array(text, { maxLength: 3 }), value),
    compatibilityDate: value,
    message: value,
    other: value,
  },
  { requiredKeys: [] },
)
const extraModules = fc.array(fc.record({ name: text, type: text, content: text }), { maxLength: 2 })

suite('any deployment', { features: {}, start: startFunctionsService }, ({ project }) => {
  test('[FUN-05] is deployed, or refused without a trace: the version before still answers', async () => {
    const { server } = project.development
    let { version } = await deployFunctions(project.development, GOOD)
    const deployment = fc.tuple(code, changes, extraModules)
    await fc.assert(
      fc.asyncProperty(deployment, async ([script, changed, extra]) => {
        const good = deploymentOf(script)
        const wanted = { ...good, modules: [...good.modules, ...extra], ...changed }
        const { status, body } = await server('POST', `${FUNCTIONS}/deployments`, wanted)
        assert.ok([201, 400].includes(status), `${status} ${JSON.stringify(body)}`)
        if (status === 201) version = body.version
        const state = (await server('GET', FUNCTIONS)).body
        assert.deepEqual([state.version, state.deployed], [version, true])
      }),
      { numRuns: runs(15, 5_000) },
    )
  })
})
