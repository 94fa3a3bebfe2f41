import assert from 'node:assert/strict'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { openToOthers } from '../src/testing/other-accounts.ts'
import { callerOf, startServer } from './server-process.ts'

const isRoot = process.getuid?.() === 0

test('[OPS-61] other accounts of the machine cannot read or lock the data, also in a folder that they may enter', async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-test-private-'))
  t.after(() => rmSync(parent, { recursive: true, force: true }))
  chmodSync(parent, 0o711)
  const dataDir = join(parent, 'data')
  const runOnce = async (check: (ready: Record<string, unknown>) => void) => {
    const server = await startServer({ SVC_DATA_DIR: dataDir })
    t.after(() => server.signal('SIGKILL'))
    const { body } = await callerOf(server)('GET', '/readyz')
    check(body)
    server.signal('SIGTERM')
    assert.equal((await server.ended).code, 0)
  }
  const modeOf = (...names: string[]) => lstatSync(join(dataDir, ...names)).mode & 0o777

  await runOnce(({ functionsAccount }) => {
    assert.deepEqual(openToOthers(dataDir), [])
    assert.equal(functionsAccount, isRoot ? 'own' : 'service')
    assert.equal(modeOf(), isRoot ? 0o711 : 0o700)
  })

  // As an earlier version, or the operator, has left them.
  chmodSync(dataDir, 0o755)
  mkdirSync(join(dataDir, 'backups'), { recursive: true })
  writeFileSync(join(dataDir, 'backups', 'before-x.sqlite'), 'copy')
  for (const name of readdirSync(dataDir))
    if (name !== 'secret.key')
      chmodSync(join(dataDir, name), lstatSync(join(dataDir, name)).isDirectory() ? 0o755 : 0o644)
  await runOnce(() => {
    assert.deepEqual(openToOthers(dataDir), [`${dataDir}/`])
    assert.deepEqual([modeOf('svc.sqlite'), modeOf('blobs'), modeOf('backups')], [0o600, 0o700, 0o700])
  })
})
