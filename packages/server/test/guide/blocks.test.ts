import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

import { ConfigDocument } from '@svc/contract/config/document'
import { transform } from 'esbuild'

import { type Snippet, scriptOf, snippetsOf } from '../../../../scripts/snippets.ts'
import { documentOf, jsonProblem, pathsIn, pathsOf } from './documents.ts'
import { mentionProblem, shellProblems } from './shell.ts'
import { sampleProblems, type TypedBlock, typeProblems } from './types.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')

const GUIDE = globSync('docs/guide/*.md', { cwd: ROOT }).toSorted()
const PAGES = [...GUIDE, ...globSync(['README.md', 'docs/sdk.md', 'examples/*/README.md'], { cwd: ROOT })]
const blocks: TypedBlock[] = PAGES.flatMap((page) =>
  snippetsOf(read(page)).map((snippet) => ({ ...snippet, page })),
)
const blocksIn = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language))
const at = ({ page, line }: TypedBlock) => `${page}:${line}`

/** Languages of which nothing can be checked: their programs are not here. */
const NOT_CHECKED = ['csharp', 'gdscript', 'http', 'nginx', 'sql', 'text', 'yaml']
const MENTION = /`((?:svc|svc-server|npm run svc --|npm start --) [^`\n]+)`/g
const TYPED = ['ts', 'tsx', 'svelte']
const isRun = ({ how }: Snippet) => /^(?:page|server)(?:=\w+)?$/.test(how)
const isFile = ({ how }: Snippet) => /[./]/.test(how)

describe('the code blocks of the guide, of the READMEs and of docs/sdk.md', () => {
  test('every block has a language, and every language has a check', () => {
    for (const page of GUIDE) {
      const fences = read(page)
        .split('\n')
        .filter((line) => line.startsWith('```'))
      const begins = fences.filter((_, index) => index % 2 === 0)
      assert.equal(begins.length, snippetsOf(read(page)).length, `${page} has a block without a language`)
    }
    // `packages/cli/test/existing-game.test.ts` applies the diffs.
    const checked = ['console', 'diff', 'html', 'js', 'json', 'sh', ...TYPED, ...NOT_CHECKED]
    for (const block of blocks) assert.ok(checked.includes(block.language), `${at(block)} ${block.language}`)
  })

  test('JavaScript and HTML of the guide is run', () => {
    for (const block of blocksIn('js', 'html', 'console')) {
      if (!block.page.startsWith('docs/guide/')) continue
      assert.ok(block.language === 'console' || isRun(block) || isFile(block), at(block))
    }
  })

  test('JavaScript files can be parsed', async () => {
    for (const block of blocksIn('js').filter(isFile))
      await assert.doesNotReject(transform(block.text), at(block))
  })

  test('TypeScript has no type errors', async () => {
    assert.deepEqual(await typeProblems(blocksIn(...TYPED)), [])
  })

  test('JavaScript that is not run, in READMEs and in docs/sdk.md, calls the SDK as it is', async () => {
    const samples = blocksIn('js').filter((block) => !isRun(block) && !isFile(block))
    assert.deepEqual(await sampleProblems(samples), [])
  })

  test('JSON can be parsed, and configs are valid', () => {
    const problems = blocksIn('json').map((block) => [at(block), jsonProblem(block)])
    assert.deepEqual(
      problems.filter(([, problem]) => problem !== undefined),
      [],
    )
  })

  test('shell commands and their options exist', async () => {
    const problems: string[] = []
    for (const block of blocksIn('sh'))
      problems.push(...(await shellProblems(block.text)).map((problem) => `${at(block)} ${problem}`))
    assert.deepEqual(problems, [])
  })

  test('commands in sentences exist', async () => {
    const problems: string[] = []
    for (const page of PAGES) {
      for (const [, mention = ''] of read(page).matchAll(MENTION)) {
        const problem = await mentionProblem(mention)
        if (problem !== undefined) problems.push(`${page} ${problem}`)
      }
    }
    assert.deepEqual(problems, [])
  })

  test('the complete config of the guide has every field', () => {
    const [complete] = blocksIn('json').filter(({ text }) => text.includes('"$schema"'))
    const used = new Set(pathsIn(JSON.parse(documentOf(complete?.text ?? ''))))
    const missing = pathsOf(ConfigDocument).filter((path) => !used.has(path) && !OLD_FIELDS.includes(path))
    assert.deepEqual(missing, [])
  })
})

/** Still accepted, but without an effect. */
const OLD_FIELDS = ['share.tags.enabled']

describe('a planted fault is found', () => {
  const shell: [what: string, text: string, problem: RegExp][] = [
    ['a shell error', 'for x in a; do\n', /syntax error/],
    ['an unknown command', 'svc leaderbord show stars\n', /unknown command|error/],
    ['an unknown subcommand', 'svc leaderboards shw stars\n', /error/],
    ['an unknown option', 'svc deploy public --massage hello\n', /unknown option/],
    ['an unknown option behind npm', 'npm run svc -- deploy public --massage hello\n', /unknown option/],
    ['a missing argument', 'svc leaderboards hide stars\n', /missing required argument/],
    [
      'two commands on one line',
      'svc leaderboards show stars svc leaderboards reset stars\n',
      /too many arguments/,
    ],
    [
      'a command in a comment',
      'svc leaderboards # lists them svc leaderboards show stars\n',
      /command in a comment/,
    ],
    ['npm in a comment', 'npm start -- backups # lists npm start -- restore x\n', /command in a comment/],
    ['a sentence', 'players who are not shown (svc leaderboards\n', /syntax error/],
    ['a command after others', 'cd x && PORT=1 svc deplyo public\n', /unknown command/],
    ['an operator command', 'npm start -- bakup x.tar\n', /no such command/],
    ['an option of an operator command', 'svc-server backup x.tar --complete\n', /Unknown option/],
  ]
  for (const [what, text, problem] of shell) {
    test(`${what} in a shell block`, async () =>
      assert.match((await shellProblems(text)).join('\n'), problem))
  }

  test('correct shell commands have no problem', async () => {
    const text = `svc leaderboards hide stars <player-id>   # hidden, not deleted
npm --prefix ../svc run svc -- init && npm run --silent svc -- players find --json
npm exec --package=https://svc.example.com/packages/svc-cli.tgz -- svc new star-duel --url https://svc.example.com
SVC_DATA_DIR=./restored npm start -- restore svc.tar --check
docker compose logs svc | grep setup=
sudo -u svc true; systemctl restart svc
svc help deploy
npm start &
`
    assert.deepEqual(await shellProblems(text), [])
  })

  test('a command in a sentence', async () => {
    assert.match(String(await mentionProblem('svc keys revok')), /error/)
    assert.equal(await mentionProblem('svc keys revoke'), undefined)
    assert.equal(await mentionProblem('svc team'), undefined)
    assert.equal(await mentionProblem('svc <command>'), undefined)
  })

  const typed = (text: string, language = 'ts', how = ''): TypedBlock => ({
    page: 'x.md',
    line: 5,
    language,
    how,
    text,
  })

  test('type errors, with their lines', async () => {
    const problems = await typeProblems([
      typed("import { connect } from '@svc/sdk'\nconst svc = await connect()\nsvc.saves.putt('a', 1)\n"),
      { ...typed('svc.player.name\n'), line: 20 },
      typed("import { useState } from 'react'\nconst [x] = useState<number>('a')\n", 'tsx', 'App.tsx'),
      typed(
        '<script lang="ts">\nimport { connect } from \'@svc/sdk\'\nconnect(1)\n</script>\n<p>a</p>\n',
        'svelte',
        'A.svelte',
      ),
    ])
    assert.deepEqual(problems.map((problem) => String(problem.split(':')[0])).toSorted(), [
      'x_md/A.svelte.ts(7,9)',
      'x_md/App.tsx(6,30)',
      'x_md/blocks.ts(20,12)',
      'x_md/blocks.ts(7,11)',
    ])
  })

  test('a name that the SDK does not have, in JavaScript that is not run', async () => {
    const problems = await sampleProblems([
      typed("await svc.saves.put('a', 1)\nawait svc.saves.putt('a', 1)\n", 'js'),
      { ...typed('const svc = 1\n', 'js'), line: 9 },
    ])
    assert.match(problems.join('\n'), /^x_md\/blocks\.js_5\.ts\(6,17\): .*'putt'.*$/)
  })

  test('JSON that is wrong', () => {
    const json = (text: string) => String(jsonProblem({ text }))
    assert.match(json('{ "a": 1, }'), /SyntaxError/)
    assert.match(json('"features": { "savess": true }'), /savess/)
    assert.match(json('"features": { "saves": 1 }'), /saves/)
    assert.equal(jsonProblem({ text: '"features": { "statsVerification": true }' }), undefined)
    assert.match(json('{ "$schema": "x", "features": { "statsVerification": true } }'), /requires/)
    assert.equal(jsonProblem({ text: '{ "mcpServers": {} }' }), undefined)
  })

  test('an output on its own line is compared with the console.log above it', () => {
    const js = (text: string): Snippet => ({ line: 7, language: 'js', how: 'page', text })
    const { text, expected } = scriptOf(js('console.log(\n  1,\n)\n// → 1\nconsole.log(2) // → 2\n'))
    assert.deepEqual(
      [...expected],
      [
        [7, '1'],
        [11, '2'],
      ],
    )
    assert.match(text, /^said\(7, \n/)
    assert.throws(() => scriptOf(js('let a = 1\n// → 1\n')), /line 8: → needs a console\.log/)
    assert.throws(() => scriptOf(js('let a = 1 // → 1\n')), /line 7: → needs a console\.log/)
  })
})
