import assert from 'node:assert/strict'
import { SourceMap } from 'node:module'
import { test } from 'node:test'

import { build } from 'esbuild'

import { readSourceMap } from '../src/pages/functions/source-map.ts'

const CODE = `
type Point = { x: number }
export const double = ({ x }: Point): number => {
  if (x > 1_000) throw new Error('far')
  return x * 2
}
console.log(double({ x: 1 }))
`

test('[DSH-43] a place of the bundle is found in the source, as Node finds it', async () => {
  const { outputFiles } = await build({
    stdin: { contents: CODE, sourcefile: 'src/point.ts', loader: 'ts', resolveDir: '.' },
    bundle: true,
    write: false,
    outfile: 'index.js',
    format: 'esm',
    sourcemap: 'external',
    keepNames: true,
  })
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
  const map = textOf('.map')
  const find = readSourceMap(map)
  const node = new SourceMap(JSON.parse(map))
  const lines = textOf('index.js').split('\n')
  for (const [at, text] of lines.entries())
    for (let column = 1; column <= text.length; column++) {
      const entry = node.findEntry(at, column - 1)
      // Node continues with the line before where a line begins without a place.
      if (!('originalSource' in entry) || entry.generatedLine !== at) continue
      const place = `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      assert.equal(find(at + 1, column), place, `${at + 1}:${column}`)
    }
  const line = lines.findIndex((text) => text.includes('throw'))
  assert.equal(find(line + 1, (lines[line] ?? '').indexOf('throw') + 1), 'src/point.ts:4:18')
})

test('[DSH-43] a map that is none finds nothing', () => {
  for (const text of [
    '',
    'x',
    'null',
    '[]',
    '{"version":3}',
    '{"mappings":"AAAA"}',
    '{"mappings":"AAAA;;!?,,zzzzzzzzzzzzzz","sources":[1]}',
  ])
    for (const line of [-1, 0, 1, 3, 1e9]) assert.equal(readSourceMap(text)(line, 1), undefined, text)
})
