import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { ERRORS } from '@svc/contract/common/errors'

import { type Snippet, snippetsOf } from '../../../scripts/snippets.ts'
import { settingsTable } from '../src/settings-table.ts'
import { engineSamples } from './guide/engines.ts'
import { openGuideRunner, type GuideRunner } from './guide/runner.ts'

const GUIDE = join(import.meta.dirname, '../../../docs/guide')
const read = (name: string) => readFileSync(join(GUIDE, name), 'utf8')
const linksOf = (markdown: string) =>
  [...markdown.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, path = '']) => path)

/** For pages that deploy several times, on a busy machine. */
const PAGE_TIMEOUT_MS = 600_000

/** In reading order: later pages continue with the project of the first page. */
const pages = linksOf(read('README.md')).filter((path) => !path.startsWith('..'))

describe('the guide', () => {
  let runner: GuideRunner
  before(async () => {
    runner = await openGuideRunner()
  })
  after(() => runner.close())

  for (const page of pages) {
    test(`the code blocks of ${page} run and print what the guide says`, { timeout: PAGE_TIMEOUT_MS }, () =>
      runner.runPage(snippetsOf(read(page))),
    )
  }

  test('the program of README.md runs in a page, with a rival in another one', async () => {
    const block = (language: string, how: string, text: string): Snippet => ({ line: 1, language, how, text })
    const [program] = snippetsOf(read('../../README.md')).filter(({ language }) => language === 'js')
    assert.ok(program)
    const rival = `import { connect } from '/.svc/sdk.js'
globalThis.draw = () => {}
const rival = await connect()
const match = rival.rooms.quickMatch('duel')
match.then((room) => room.on('player_state', (player, state) => console.log(state))) // → { x: 3, y: 4 }`
    await runner.runPage([
      block(
        'json',
        'svc.config.json',
        '"multiplayer": { "modes": [{ "key": "duel", "minPlayers": 2, "maxPlayers": 2 }] }',
      ),
      block(
        'json',
        'svc.config.json',
        '"stats": [{ "key": "points" }], "features": { "saves": true, "stats": true, "multiplayer": true }',
      ),
      block('console', '', '$ svc config push --yes\n'),
      block('js', 'page=rival', rival),
      block('js', 'page', 'globalThis.draw = () => {}'),
      { ...program, how: 'page' },
    ])
  })

  for (const [what, snippets] of engineSamples(snippetsOf(read('engines.md')))) {
    test(`${what} of engines.md works in a page`, async () => runner.runPage(await snippets()))
  }

  const js = (text: string, how = 'server'): Snippet => ({ line: 1, language: 'js', how, text })
  const faults: [what: string, snippet: Snippet, complaint: RegExp][] = [
    ['a snippet that throws', js('await Promise.reject(new Error("no"))'), /^line 1: Error: no/],
    ['one that throws in a page', js('nothing.at.all', 'page'), /nothing is not defined/],
    ['another output', js('console.log({ a: 1 }) // → { a: 2 }'), /line 1 said { a: 1 }, not { a: 2 }/],
    ['an output that never comes', js('if (false) console.log(1) // → 1'), /line 1 was never reached/],
    ['a block that does not say where to run', js('1', ''), /does not say where/],
    ['an output on its own line', js('console.log(1)\n// → 2'), /line 1 said 1, not 2/],
    [
      'a config that is not valid',
      { line: 1, language: 'json', how: 'svc.config.json', text: '"features": { "savess": true }' },
      /savess/,
    ],
    [
      'another output of a command',
      { line: 1, language: 'console', how: '', text: '$ svc deploys\n  nothing\n' },
      /does not print this/,
    ],
    [
      'a command that fails',
      { line: 1, language: 'console', how: '', text: '$ svc players show ply_nobody\n' },
      /ended with 4/,
    ],
  ]
  for (const [what, snippet, complaint] of faults) {
    test(`a planted fault is found: ${what}`, async () => {
      await assert.rejects(runner.runPage([snippet], { attemptsMax: 3 }), { message: complaint })
    })
  }
})

test('every page is in the index', () => {
  const files = readdirSync(GUIDE).filter((name) => name !== 'README.md')
  assert.deepEqual(pages.toSorted(), files.toSorted())
})

test('all links of the guide have a target', () => {
  for (const page of ['README.md', ...pages])
    for (const link of linksOf(read(page)))
      assert.ok(existsSync(join(GUIDE, dirname(page), link)), `${page} leads to ${link}`)
})

test('all variables in the guide are settings of the service or of the CLI', () => {
  const known = new Set([
    ...settingsTable().map(({ name }) => name),
    'SVC_KEY',
    'SVC_URL',
    'SVC_TOKEN',
    'SVC_AGENT_TOKEN',
    'SVC_ACCESS_TOKEN',
    'SVC_PROJECT',
    'SVC_DEVELOPMENT_SECRET_KEY',
    'SVC_DEVELOPMENT_PUBLISHABLE_KEY',
    'SVC_PRODUCTION_SECRET_KEY',
    'SVC_PRODUCTION_PUBLISHABLE_KEY',
  ])
  /** `SVC_LIMIT_…` names several settings. */
  const isPrefix = (name: string) => name.endsWith('_') && [...known].some((one) => one.startsWith(name))
  for (const page of pages)
    for (const [name] of read(page).matchAll(/\b(?:SVC|TURN|AWS|SMTP|DATABASE|REDIS|PUBLIC)_[A-Z_]+\b/g))
      assert.ok(known.has(name) || isPrefix(name), `${page} names ${name}`)
})

test('all error codes of the troubleshooting page exist', () => {
  const sdk = readFileSync(join(GUIDE, '../../packages/sdk/src/http/errors.ts'), 'utf8')
  const codes = [...read('troubleshooting.md').matchAll(/^\| `([a-z_-]+)` \|/gm)].map(([, code = '']) => code)
  assert.ok(codes.length > 20)
  for (const code of codes) assert.ok(code in ERRORS || sdk.includes(`'${code}'`), code)
})
