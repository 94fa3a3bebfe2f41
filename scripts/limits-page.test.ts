import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { ERRORS } from '@svc/contract/common/errors'
import { LIMITS } from '@svc/contract/common/limits'

import { settingsTable } from '../packages/server/src/settings-table.ts'
import { limitsSections } from './limits-page.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/guide/limits.md'), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:What|---) /.test(line))

test('[DOC-10] the page of limits has the numbers of the contract and of the settings', () => {
  const written: string[] = []
  limitsSections((_head, cells) => {
    written.push(...cells.map((row) => `| ${row.join(' | ')} |`))
    return ''
  })
  assert.deepEqual(rows, written, 'run npm run generate')
  const limitOf = (what: string) => rows.find((row) => row.startsWith(`| ${what} |`))?.split(' | ')[1]
  assert.equal(limitOf('Maximum size of a save'), `${LIMITS.saveBytesMax / 1024 ** 2} MiB`)
  assert.equal(limitOf('Saves'), String(LIMITS.savesPerPlayerMax))
  assert.equal(limitOf('Wrong room codes'), `${LIMITS.wrongJoinsPerMinuteMax} per minute`)
})

test('[DOC-10] every row has an error code or an effect, and names settings that exist', () => {
  const settings = new Set(settingsTable().map(({ name }) => name))
  for (const row of rows) {
    const [, , , then = '', change = ''] = row.slice(2, -2).split(' | ')
    const [, code] = /^\[`(\w+)`\]\(\.\.\/errors\.md#\1\)$/.exec(then) ?? []
    assert.ok(code === undefined ? then !== '' : code in ERRORS, row)
    const [, setting] = /^operator: `(\w+)`/.exec(change) ?? []
    if (setting !== undefined) assert.ok(settings.has(setting), row)
  }
  for (const subject of [
    'Saves',
    'Stats',
    'Rooms',
    'Channels',
    'Hosting',
    'Server functions',
    'Sharing',
    'Email',
    'Sign-in',
    'Agents',
  ])
    assert.match(page, new RegExp(`^## ${subject}`, 'm'))
})
