import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { findOrInstall } from '../../../../scripts/programs.ts'

const UNIT = readFileSync(join(import.meta.dirname, '../../../../deploy/svc.service'), 'utf8')
/** In tenths, as `systemd-analyze security` counts: above it, something was opened that functions do not need. */
const EXPOSURE_MAX = 35

const [analyze] = findOrInstall('systemd')
const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'))
after(() => rmSync(folder, { recursive: true }))

/** systemd also checks that the program exists, which is not installed here. Some problems are only printed. */
function analyzed(args: readonly string[], unit: string) {
  const file = join(folder, 'svc.service')
  writeFileSync(file, unit.replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath}`))
  const { status, stderr } = spawnSync(analyze, [...args, file], { encoding: 'utf8', timeout: 60_000 })
  return { status, problems: stderr.split('\n').filter((line) => line.includes('svc.service')) }
}
const valuesOf = (name: string) =>
  [...UNIT.matchAll(RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

test('[OPS-12] systemd accepts the unit, and rejects a setting that it does not know', () => {
  const verify = ['verify', '--man=no', '--recursive-errors=no']
  assert.deepEqual(analyzed(verify, UNIT), { status: 0, problems: [] })
  const { problems } = analyzed(verify, UNIT.replace('KillMode=mixed', 'KillMode=gently'))
  assert.match(problems.join(), /gently/)
})

test('[OPS-12] the unit is as closed as functions allow', () => {
  const security = ['security', '--offline=true', '--no-pager', `--threshold=${EXPOSURE_MAX}`]
  assert.equal(analyzed(security, UNIT).status, 0)
  assert.equal(
    analyzed(security, UNIT.replace('NoNewPrivileges=yes', '').replace(/^System.*$/gm, '')).status,
    1,
  )
})

test('[OPS-12] the service has time to stop, open files, a folder of its own, and starts again', () => {
  const expected = {
    StateDirectory: 'svc',
    ProtectSystem: 'strict',
    LimitNOFILE: '65536',
    KillMode: 'mixed',
    TimeoutStopSec: '60',
    Restart: 'on-failure',
    OOMPolicy: 'continue',
    NoNewPrivileges: 'yes',
    EnvironmentFile: '/etc/svc/svc.env',
  }
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(valuesOf(name), [value], name)
})

test('[OPS-12] nothing in the unit prevents bubblewrap or JavaScript', () => {
  // Each of them hides a part of /proc or denies a system call, and then no function runs.
  const preventing = [
    'RestrictNamespaces',
    'ProtectHostname',
    'ProtectKernelTunables',
    'ProtectKernelLogs',
    'ProtectProc',
    'ProcSubset',
    'PrivateUsers',
    'MemoryDenyWriteExecute',
  ]
  for (const name of preventing) assert.deepEqual(valuesOf(name), [], name)
  assert.deepEqual(valuesOf('SystemCallFilter'), ['@system-service @mount sethostname'])
})
