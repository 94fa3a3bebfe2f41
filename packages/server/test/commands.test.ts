import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { VERSION } from '../src/version.ts'
import { operate } from './operator.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'svc-commands-'))
after(() => rmSync(dataDir, { recursive: true }))

test('svc-server: help and version are printed, and nothing starts', async () => {
  for (const asked of ['help', 'start --help']) {
    const { code, output, errors } = await operate({ dataDir }, ...asked.split(' '))
    assert.deepEqual([code, errors], [0, ''], asked)
    assert.match(output, /^ {2}backup +<file>/m)
  }
  assert.deepEqual(await operate({ dataDir }, '-v'), { code: 0, output: `${VERSION}\n`, errors: '' })
  assert.deepEqual(readdirSync(dataDir), [])
})

test('svc-server: unknown commands and options are rejected by name, and nothing starts', async () => {
  const wrong = {
    'begin now': 'Unknown command "begin now".',
    '--port 9000': 'Unknown option "--port". Settings are environment variables.',
  }
  for (const [typed, says] of Object.entries(wrong)) {
    const { code, output, errors } = await operate({ dataDir }, ...typed.split(' '))
    assert.deepEqual([code, output, errors.split('\n')[0]], [2, '', says])
  }
  assert.deepEqual(readdirSync(dataDir), [])
})
