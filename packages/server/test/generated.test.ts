import assert from 'node:assert/strict'
import { test } from 'node:test'

import { generatedFiles, readCurrent, staleAmong } from '../../../scripts/generate.ts'

const files = generatedFiles()

test('generated files are up to date; if not, `npm run generate` writes them', () => {
  assert.deepEqual(staleAmong(files, readCurrent), [])
})

test('the same sources give the same bytes', () => {
  assert.deepEqual([...generatedFiles()], [...files])
})

test('a planted fault is found: a file that was edited, and one that is missing', () => {
  const [edited = '', missing = '', ...others] = files.keys()
  const disk = new Map(others.map((path) => [path, files.get(path)]))
  disk.set(edited, `${files.get(edited)} by hand`)

  assert.deepEqual(
    staleAmong(files, (path) => disk.get(path)),
    [edited, missing],
  )
})
