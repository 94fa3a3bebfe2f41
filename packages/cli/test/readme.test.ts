import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'

import { snippetsOf } from '../../../scripts/snippets.ts'
import { buildProgram } from '../src/program.ts'
import { type TestSetup, startTestSetup } from './cli.ts'

const ROOT = join(import.meta.dirname, '../../..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const CURL = readFileSync(join(ROOT, 'docs/guide/curl.md'), 'utf8')

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
})
after(() => setup.stop())

/** What a fresh machine has: a shell, curl, and the Node that is needed anyway. */
async function freshPath(): Promise<string> {
  const folder = join(setup.root, 'bin')
  await mkdir(folder)
  for (const name of ['sh', 'curl', 'cat']) await symlink(String(which(name)), join(folder, name))
  // The oldest Node that the README allows for is what people have.
  await symlink(which('node') ?? process.execPath, join(folder, 'node'))
  return folder
}

const which = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, name))
    .find((path) => spawnSync('test', ['-x', path]).status === 0)

test('the curl lines work with nothing but curl and Node, and a second time', async () => {
  const [block] = snippetsOf(CURL).filter(({ text }) => text.includes('curl -s'))
  const script = join(setup.root, 'by-hand.sh')
  await writeFile(
    script,
    `set -e\n${String(block?.text).replaceAll('localhost:8787', `localhost:${setup.port}`)}`,
  )
  const env = { PATH: await freshPath(), HOME: setup.home }
  for (const time of ['first', 'second']) {
    const { status, stdout, stderr } = spawnSync('sh', [script], { env, encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual([status, stderr], [0, ''], time)
    assert.match(stdout, /"changed":true/, 'the config was pushed')
    assert.match(stdout, /"key":"slot1","version":1/, 'the save was written')
    assert.match(stdout, /"to":"you@example\.com"/, 'the mail is there')
    assert.doesNotMatch(stdout, /"error"/)
  }
})

test('commands and files that the README names exist', () => {
  const commands = new Set(buildProgram('', async () => {}).commands.map((command) => command.name()))
  const named = [...README.matchAll(/(?:^|`)svc ([a-z]+)/gm)].map(([, name = '']) => name)
  assert.ok(named.length > 2)
  for (const name of named) assert.ok(commands.has(name), name)
  for (const [, path = ''] of README.matchAll(/\]\((?!https?:)([^)#]+)/g))
    assert.ok(existsSync(join(ROOT, path)), path)
})
