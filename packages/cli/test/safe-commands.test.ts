import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../../..')

/** On npm, `svc` is an unrelated package: these run it wherever ours is not installed. */
const UNSAFE =
  /\b(?:npx|bunx|pnpx|(?:npm (?:exec|x)|pnpm dlx|yarn dlx))(?: -{1,2}[\w=-]+)* (?:svc|svc-server|@svc\/\w+)(?![\w.-])/g

const unsafeIn = (text: string) => text.match(UNSAFE) ?? []

test('no document, message or code contains a command that could download a foreign package', () => {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\0')
    // What was written to people who upgrade stays as it was; this file names them all.
    .filter((path) => path !== '' && path !== 'CHANGELOG.md' && !path.endsWith('safe-commands.test.ts'))
  assert.ok(files.length > 500)
  const found = files.flatMap((path) => unsafeIn(read(path)).map((command) => `${path}: ${command}`))
  assert.deepEqual(found, [])
})

test('a planted command is found', () => {
  for (const unsafe of [
    'npx svc deploy',
    '`npx svc`',
    'npx --yes svc new x',
    'npm exec svc',
    'npx @svc/cli',
    'pnpm dlx svc-server',
  ])
    assert.equal(unsafeIn(unsafe).length, 1, unsafe)
  for (const safe of [
    'npm run svc -- deploy',
    'npx svc-other',
    'npx oxfmt packages/svc',
    'node ../svc/packages/cli/bin/svc.js',
  ])
    assert.deepEqual(unsafeIn(safe), [], safe)
})

function read(path: string): string {
  try {
    return readFileSync(join(ROOT, path), 'utf8')
  } catch {
    return '' // deleted, but not committed yet
  }
}
