import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { type Callable, callablesIn, typeOf } from '../../../scripts/sdk-reference-declarations.ts'
import { ENTRIES } from '../../../scripts/sdk-reference-entries.ts'
import type { Snippet } from '../../../scripts/snippets.ts'
import { skipsTurn } from '../../server/src/testing/runs.ts'
import { type GuideRunner, openGuideRunner } from '../../server/test/guide/runner.ts'
import { upToDateFolder } from '../build.ts'
import { beginningOf, NOT_RUN, PROJECT, SETUPS } from './example-setups.ts'

type Example = Callable & { example: string }

const folder = await upToDateFolder()
/** By path, each once: several entries export `SvcError`. */
const examples = new Map(
  ENTRIES.flatMap(({ types }) => callablesIn(readFileSync(join(folder, basename(types)), 'utf8')))
    .filter((one): one is Example => one.example !== undefined)
    .map((one) => [one.path, one]),
)
const byType = Map.groupBy(examples.values(), ({ path }) => typeOf(path))

test('examples that are not run, and those with a setup, exist', () => {
  const setUp = Object.values(SETUPS).flatMap((setup) => Object.keys({ ...setup.before, ...setup.after }))
  for (const path of [...Object.keys(NOT_RUN), ...setUp]) assert.ok(examples.has(path), path)
  for (const type of Object.keys(SETUPS)) assert.ok(byType.has(type), type)
})

describe('the examples of the SDK', () => {
  let runner: GuideRunner
  before(async () => {
    runner = await openGuideRunner(['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'])
    await runner.runPage(PROJECT)
  })
  after(() => runner.close())

  for (const [at, [type, ofType]] of [...byType].entries()) {
    test(`[DOC-05] the examples of ${type} run and print what they say`, async (t) => {
      if (skipsTurn(t, at % 2 === 0 ? 0 : 1)) return
      const run = ofType.filter(({ path }) => !(path in NOT_RUN))
      const snippets = snippetsOf(type, run)
      await runner.runPage(snippets).catch((cause: Error) => {
        const line = Number(/\bline (\d+)/.exec(cause.message)?.[1])
        const failed = snippets.findLast((snippet) => snippet.line <= line)
        throw new Error(`${cause.message}\n${failed?.text}`, { cause })
      })
    })
  }
})

/** The blocks of one page: the beginning, then one block per example. Their line numbers follow each other. */
function snippetsOf(type: string, ofType: readonly Example[]): Snippet[] {
  const setup = SETUPS[type] ?? assert.fail(`${type} has no setup`)
  const texts = ofType.map(({ path, example }) => {
    const parts = [setup.each, setup.before?.[path], example, setup.after?.[path]]
    return `{\n${parts.filter((part) => part !== undefined).join('\n')}\n}`
  })
  let line = 1
  return [beginningOf(type, setup), ...texts].map((text) => {
    const snippet = { line, language: 'js', how: setup.where, text: inRunner(text, setup.where) }
    line += text.split('\n').length
    return snippet
  })
}

/** A hosted page imports the SDK by its URL. */
const inRunner = (text: string, where: 'page' | 'server'): string =>
  where === 'page'
    ? text.replace("'@svc/sdk'", "'/.svc/sdk.js'").replace("'@svc/sdk/ui'", "'/.svc/sdk-ui.js'")
    : text
