import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { ignoreRules } from '../src/site/ignore-file.ts'

describe('.svcignore', () => {
  const table: [lines: string, ignored: string[], kept: string[]][] = [
    ['# notes\n\n*.psd', ['a.psd', 'art/b.psd'], ['a.psd.png', '# notes']],
    ['drafts', ['drafts', 'pages/drafts'], ['drafts2', 'my-drafts']],
    ['/drafts', ['drafts'], ['pages/drafts']],
    ['drafts/', ['drafts/', 'pages/drafts/'], ['drafts']],
    ['art/*.psd', ['art/a.psd'], ['art/old/a.psd', 'more/art/a.psd']],
    ['**/old/*.js', ['old/a.js', 'a/b/old/c.js'], ['old/a/b.js']],
    ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['b/a/z']],
    ['art/**', ['art/a', 'art/a/b'], ['art']],
    ['**', ['a', 'a/b'], []],
    ['level?.json', ['level1.json'], ['level.json', 'level10.json', 'level/.json']],
    ['*.map\n!keep.map', ['a.map', 'b/c.map'], ['keep.map', 'b/keep.map']],
    ['a+(b).{c}', ['a+(b).{c}'], ['aab.c']],
    ['name \r\nother', ['name', 'other'], []],
  ]
  for (const [lines, ignored, kept] of table)
    test(JSON.stringify(lines), () => {
      const isIgnored = ignoreRules(lines)
      const check = (path: string) => isIgnored(path.replace(/\/$/, ''), path.endsWith('/'))
      assert.deepEqual([ignored.filter((path) => !check(path)), kept.filter(check)], [[], []])
    })

  test('a pattern with many stars takes no long time', () => {
    assert.equal(ignoreRules(`${'*'.repeat(200)}x`)('y'.repeat(512), false), false)
  })
})
