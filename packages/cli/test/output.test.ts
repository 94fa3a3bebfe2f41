import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { createOutput, type Screen } from '../src/output/output.ts'

function open(screen: Partial<Screen> = {}) {
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  const out = createOutput({ write, isTerminal: false, hasColors: false, ...screen }, { isJson: false })
  return { out, text: () => written.join('') }
}

const HEAD = ['ID', 'NAME']
const ROWS = [
  ['key_1', 'ci'],
  ['key_2', ''],
]

describe('a table', () => {
  test('has columns if they fit or if the width is unknown', () => {
    for (const columns of [undefined, 13]) {
      const { out, text } = open({ columns })
      out.table(HEAD, ROWS, 'none')
      assert.equal(text(), '  ID     NAME\n  key_1  ci\n  key_2\n')
    }
  })

  test('is one block of names and values per row in a narrow terminal', () => {
    const { out, text } = open({ columns: 12 })
    out.table(HEAD, ROWS, 'none')
    assert.equal(text(), '  ID    key_1\n  NAME  ci\n\n  ID  key_2\n')
  })

  test('prints a message if there are no rows', () => {
    const { out, text } = open()
    out.table(HEAD, [], 'No keys.')
    assert.equal(text(), '  No keys.\n')
  })
})

describe('progress', () => {
  const label = (done: number) => `uploaded ${done}/4`

  test('is updated in a terminal, and is one line elsewhere', () => {
    const terminal = open({ isTerminal: true, columns: 80 })
    const moving = terminal.out.progress(label, 4)
    moving.show(2)
    moving.end(4)
    assert.equal(
      terminal.text(),
      `\r\x1b[K  ${'━'.repeat(20)} uploaded 2/4\r\x1b[K  ${'━'.repeat(20)} uploaded 4/4\n`,
    )

    const elsewhere = open()
    const still = elsewhere.out.progress(label, 4)
    still.show(2)
    still.clear()
    still.end(4)
    assert.equal(elsewhere.text(), `  ${'━'.repeat(20)} uploaded 4/4\n`)
  })

  test('omits the bar if it would break the line', () => {
    const { out, text } = open({ isTerminal: true, columns: 35 })
    out.progress(label, 4).show(1)
    assert.equal(text(), '\r\x1b[K  uploaded 1/4')
  })
})
