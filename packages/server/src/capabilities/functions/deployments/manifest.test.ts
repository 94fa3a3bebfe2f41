import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'

import { ApiError } from '../../../platform/api-error.ts'
import { runs } from '../../../testing/runs.ts'
import { nextRunAfter } from './cron-text.ts'
import { readDeployment, type DeploymentInput } from './manifest.ts'

const AROUND = {
  today: '2027-01-01',
  engineDate: '2026-11-04',
  secrets: ['TOKEN'],
  contentTypeOf: () => ({ type: 'text/plain' }),
}
const base64 = (text: string) => Buffer.from(text).toString('base64')
const MAIN = { name: 'index.js', type: 'esm', content: base64('export default {}') }
const GOOD: DeploymentInput = { mainModule: 'index.js', modules: [MAIN] }

async function pathsOf(input: object): Promise<string[]> {
  try {
    await readDeployment(input as DeploymentInput, AROUND)
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'invalid_deployment', String(error))
    const { errors = [] } = error.details as { errors?: { path: string }[] }
    return errors.map(({ path }) => path)
  }
}

describe('a deployment', () => {
  test('[FUN-06] has complete bindings, whatever names they were sent with', async () => {
    const { manifest } = await readDeployment(
      {
        ...GOOD,
        bindings: [
          { type: 'd1', name: 'DB' },
          { type: 'kv_namespace', name: 'CACHE', id: 'main' },
          { type: 'r2_bucket', name: 'FILES' },
          { type: 'queue', name: 'JOBS', queue_name: 'work', consumer: { maxRetries: 0 } },
          { type: 'durable_object_namespace', name: 'ROOM', class_name: 'Room' },
        ],
      },
      AROUND,
    )
    assert.deepEqual(manifest.bindings, [
      { type: 'db', name: 'DB', id: 'db' },
      { type: 'kv', name: 'CACHE', id: 'main' },
      { type: 'files', name: 'FILES', id: 'files' },
      {
        type: 'queue',
        name: 'JOBS',
        queue: 'work',
        consumer: {
          maxBatchSize: 10,
          maxBatchTimeoutSeconds: 1,
          maxRetries: 0,
          retryDelaySeconds: 1,
          deadLetterQueue: null,
        },
      },
      { type: 'durable_object', name: 'ROOM', className: 'Room' },
    ])
  })

  test('[FUN-05] is refused with the path of each problem', async () => {
    const refused: [object, ...string[]][] = [
      [{}, '$.modules', '$.mainModule'],
      [{ ...GOOD, mainModule: 'other.js' }, '$.mainModule'],
      [{ mainModule: 'a.txt', modules: [{ ...MAIN, name: 'a.txt', type: 'text' }] }, '$.mainModule'],
      [{ ...GOOD, modules: [MAIN, MAIN] }, '$.modules[1].name'],
      [{ ...GOOD, modules: [{ ...MAIN, content: '####' }] }, '$.modules[0].content'],
      [{ ...GOOD, modules: [{ ...MAIN, content: 'abc' }] }, '$.modules[0].content'],
      [{ ...GOOD, modules: [MAIN, { ...MAIN, name: 'b', type: 'python' }] }, '$.modules[1].type'],
      ...['../a', '/a', 'svc-main.js', 'a b', '', 'a'.repeat(257)].map((name): [object, string] => [
        { ...GOOD, modules: [MAIN, { ...MAIN, name }] },
        '$.modules[1].name',
      ]),
      [{ ...GOOD, bindings: [{ type: 'sql', name: 'DB' }] }, '$.bindings[0].type'],
      [{ ...GOOD, bindings: [{ type: 'constructor', name: 'DB' }] }, '$.bindings[0].type'],
      [{ ...GOOD, bindings: [{ type: 'db', name: '1' }] }, '$.bindings[0].name'],
      [{ ...GOOD, bindings: [{ type: 'db', name: 'SVC' }] }, '$.bindings[0].name'],
      [{ ...GOOD, bindings: [{ type: 'db', name: 'TOKEN' }] }, '$.bindings[0].name'],
      [{ ...GOOD, bindings: [{ type: 'db', name: 'DB', id: 'A' }] }, '$.bindings[0].id'],
      [{ ...GOOD, bindings: [{ type: 'durable_object', name: 'ROOM' }] }, '$.bindings[0].className'],
      [{ ...GOOD, bindings: [{ type: 'db', name: 'A' }], vars: { A: 'x' } }, '$.vars.A'],
      [{ ...GOOD, vars: { A: 'x'.repeat(5_121) } }, '$.vars.A'],
      [{ ...GOOD, vars: { A: { a: 'x'.repeat(5_120) } } }, '$.vars.A'],
      [{ ...GOOD, bindings: [{ type: 'assets', name: 'ASSETS' }] }, '$.bindings[0].type'],
      [
        { ...GOOD, bindings: [{ type: 'service', name: 'A', entrypoint: 'a b' }] },
        '$.bindings[0].entrypoint',
      ],
      ...['', '/a', '../a', 'a//b', 'a\\b', 'x'.repeat(513)].map((path): [object, string] => [
        { ...GOOD, assets: { files: [{ path, content: '' }] } },
        '$.assets.files[0].path',
      ]),
      [
        {
          ...GOOD,
          assets: {
            files: [
              { path: 'a', content: '#' },
              { path: 'a', content: '' },
            ],
          },
        },
        '$.assets.files[0].content',
        '$.assets.files[1].path',
      ],
      [{ ...GOOD, assets: { files: [], runWorkerFirst: ['api/*'] } }, '$.assets.runWorkerFirst[0]'],
      [{ ...GOOD, crons: ['* * * *'] }, '$.crons[0]'],
      [{ ...GOOD, crons: ['* * * * * *'] }, '$.crons[0]'],
      [{ ...GOOD, crons: ['61 * * * *'] }, '$.crons[0]'],
      [{ ...GOOD, crons: ['@daily'] }, '$.crons[0]'],
      [{ ...GOOD, crons: ['* * * * *', '* * * * *'] }, '$.crons[1]'],
      [{ ...GOOD, compatibilityDate: '2027-01-02' }, '$.compatibilityDate'],
      [{ ...GOOD, compatibilityDate: '2026-02-30' }, '$.compatibilityDate'],
      [{ ...GOOD, compatibilityDate: 'today' }, '$.compatibilityDate'],
    ]
    for (const [input, ...paths] of refused)
      assert.deepEqual(await pathsOf(input), paths, JSON.stringify(input).slice(0, 200))
  })

  test('[FUN-05] may have 10 MB of modules and files, and not one byte more', async () => {
    const module = (size: number) => ({
      name: 'data',
      type: 'data',
      content: Buffer.alloc(size).toString('base64'),
    })
    const left = 10_000_000 - Buffer.from(MAIN.content, 'base64').length
    assert.deepEqual(await pathsOf({ ...GOOD, modules: [MAIN, module(left)] }), [])
    assert.deepEqual(await pathsOf({ ...GOOD, modules: [MAIN, module(left + 1)] }), ['$.modules'])
    const withFile = (bytes: number) => ({
      ...GOOD,
      assets: { files: [{ path: 'a', content: module(bytes).content }] },
    })
    assert.deepEqual(await pathsOf(withFile(left)), [])
    assert.deepEqual(await pathsOf(withFile(left + 1)), ['$.assets'])
  })

  test('[FUN-06] with a date that the engine does not know yet runs with the engine’s, and a warning', async () => {
    const dated = await readDeployment({ ...GOOD, compatibilityDate: '2026-12-24' }, AROUND)
    assert.equal(dated.manifest.compatibilityDate, '2026-11-04')
    assert.equal(dated.warnings.length, 1)
    const older = await readDeployment({ ...GOOD, compatibilityDate: '2024-09-23' }, AROUND)
    assert.deepEqual([older.manifest.compatibilityDate, older.warnings], ['2024-09-23', []])
    assert.equal((await readDeployment(GOOD, AROUND)).manifest.compatibilityDate, '2026-11-04')
  })

  test('[FUN-05] of whatever texts is accepted or refused with paths', async () => {
    const text = fc.oneof(
      fc.constantFrom(
        '',
        'db',
        'd1',
        'esm',
        'index.js',
        'SVC',
        '__proto__',
        '* * * * *',
        '2026-01-01',
        base64('x'),
      ),
      fc.string(),
    )
    const input = fc.record(
      {
        mainModule: text,
        modules: fc.array(fc.record({ name: text, type: text, content: text }), { maxLength: 4 }),
        bindings: fc.array(
          fc.record(
            {
              type: text,
              name: text,
              id: text,
              queue: text,
              className: text,
              consumer: fc.record({ deadLetterQueue: text }),
            },
            { requiredKeys: ['type', 'name'] },
          ),
          { maxLength: 4 },
        ),
        vars: fc.dictionary(text, text, { maxKeys: 4 }),
        crons: fc.array(text, { maxLength: 4 }),
        compatibilityDate: text,
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(input, async (deployment) => void (await pathsOf(deployment))),
      { numRuns: runs(500, 5_000) },
    )
  })
})

describe('the next run of a cron', () => {
  const next = async (cron: string, after: string) => {
    const ms = await nextRunAfter(cron, Date.parse(after))
    return ms === undefined ? undefined : new Date(ms).toISOString()
  }

  test('[FUN-13] is in UTC and after the given time', async () => {
    assert.equal(await next('*/5 * * * *', '2026-01-01T00:00:00.000Z'), '2026-01-01T00:05:00.000Z')
    assert.equal(await next('30 4 * * *', '2026-07-01T04:30:00.000Z'), '2026-07-02T04:30:00.000Z')
    assert.equal(await next('0 0 29 2 *', '2026-01-01T00:00:00.000Z'), '2028-02-29T00:00:00.000Z')
    assert.equal(await next('0 0 31 2 *', '2026-01-01T00:00:00.000Z'), undefined)
  })
})
