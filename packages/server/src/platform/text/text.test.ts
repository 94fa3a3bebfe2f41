import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cleanLine, cleanText, hasUnprintable } from './text.ts'

const HIDDEN = '\0\u0007\u001b\u007f\u0085\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'

test('control characters and characters that change the text direction are removed', () => {
  assert.equal(cleanText(`a${HIDDEN}b`), 'ab')
  assert.equal(cleanLine(`a${HIDDEN}b`), 'ab')
  for (const character of HIDDEN) assert.ok(hasUnprintable(`a${character}`), character)
})

test('text keeps its line breaks, a label has none', () => {
  assert.equal(cleanText('one\r\ntwo\rthree\u2028four\tfive\n'), 'one\ntwo\nthree\nfour\tfive\n')
  assert.equal(cleanLine('one\r\ntwo'), 'onetwo')
})

test('joiners, direction marks and characters beyond the first plane are kept', () => {
  const text = 'नमस्‍ते שלום\u200f 👨‍👩‍👧 é'
  assert.equal(cleanText(text), text)
  assert.equal(cleanLine(text), text)
  assert.equal(hasUnprintable(text), false)
})

test('a text of only control characters becomes empty', () => {
  assert.equal(cleanText(HIDDEN), '')
  assert.equal(cleanLine(HIDDEN), '')
})
