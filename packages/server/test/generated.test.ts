import assert from 'node:assert/strict'
import { test } from 'node:test'

import { generatedFiles, readCurrent, staleAmong } from '../../../scripts/generate.ts'

const files = generatedFiles()

test('generated files are up to date (run `npm run generate` if this fails)', () => {
  assert.deepEqual(staleAmong(files, readCurrent), [])
})

test('generating twice gives the same bytes', () => {
  assert.deepEqual([...generatedFiles()], [...files])
})

test('a planted fault is found: an edited file and a missing file', () => {
  const [edited = '', missing = '', ...others] = files.keys()
  const disk = new Map(others.map((path) => [path, files.get(path)]))
  disk.set(edited, `${files.get(edited)} by hand`)

  assert.deepEqual(
    staleAmong(files, (path) => disk.get(path)),
    [edited, missing],
  )
})
