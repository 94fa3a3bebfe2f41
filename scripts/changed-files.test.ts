import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { changedFiles } from './changed-files.ts'

test('changed and new files are found, since the last commit or since the branch was left', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'svc-changed-'))
  t.after(() => rmSync(root, { recursive: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root })
  const write = (...names: string[]) => names.forEach((name) => writeFileSync(join(root, name), name))
  const commit = () => (git('add', '.'), git('commit', '-q', '-m', 'x'))

  git('init', '-q', '-b', 'main')
  write('kept', 'removed', '.gitignore')
  commit()
  git('checkout', '-q', '-b', 'own')
  write('committed')
  commit()
  rmSync(join(root, 'removed'))
  write('new file')
  writeFileSync(join(root, 'kept'), 'changed')

  assert.deepEqual(changedFiles(root, 'HEAD'), ['kept', 'new file'])
  assert.deepEqual(changedFiles(root, 'main'), ['committed', 'kept', 'new file'])
})
