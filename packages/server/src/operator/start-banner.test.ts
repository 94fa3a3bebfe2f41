import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { SandboxLevel } from '../platform/ports/functions-engine.ts'
import { readSettings } from '../settings.ts'
import { startBanner } from './start-banner.ts'

const functionsRow = (level: SandboxLevel): string | undefined =>
  /^ {2}Functions +(.*)$/m.exec(
    startBanner(readSettings({}), 100, level, { setupLink: undefined, lacksOperator: false }),
  )?.[1]

test('the start shows the sandbox of functions and the account of their processes', () => {
  assert.equal(
    functionsRow({ level: 'bubblewrap', account: 'own' }),
    'run in a sandbox (bubblewrap), with an account of their own',
  )
  assert.equal(
    functionsRow({ level: 'bubblewrap', account: 'service' }),
    'run in a sandbox (bubblewrap), with the account of the service',
  )
  assert.match(functionsRow({ level: 'uid', account: 'own' }) ?? '', /with an account of their own: install/)
  assert.match(functionsRow({ level: 'plain', account: 'service' }) ?? '', /with the account of the service/)
  assert.equal(functionsRow({ level: 'none', reason: 'No Linux.' }), 'not available: No Linux.')
})
