import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { buildInto, INITIAL_SCRIPT_GZIP_BYTES_MAX } from '../build.ts'

const STYLE_GZIP_BYTES_MAX = 14 * 1024

test('[DSH-38] the first script stays below its limit, and the licences are in the built files', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'))
  t.after(() => rm(folder, { recursive: true }))
  const { initialScript, style } = await buildInto(folder)
  assert.ok(initialScript <= INITIAL_SCRIPT_GZIP_BYTES_MAX, `${initialScript} bytes`)
  assert.ok(style <= STYLE_GZIP_BYTES_MAX, `${style} bytes`)

  const html = await readFile(join(folder, 'index.html'), 'utf8')
  assert.doesNotMatch(html, /\{(style|script|font|preloads)\}/)
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style| style=/, 'nothing inline, which the policy refuses')
  for (const [, name = ''] of html.matchAll(/"\/dashboard\/([\w.-]+)"/g))
    assert.ok((await readdir(folder)).includes(name), name)
  const licences = await readFile(join(folder, 'licences.txt'), 'utf8')
  for (const name of [
    'preact',
    '@tanstack/query-core',
    'lucide-preact',
    '@codemirror/view',
    '@fontsource-variable/geist',
  ])
    assert.ok(licences.includes(`${name}\n`), name)
})
