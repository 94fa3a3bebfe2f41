import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'

import { freePort } from './server-process.ts'

const ROOT = join(import.meta.dirname, '../../..')
const START_TIMEOUT_MS = 30_000

describe('npm start', () => {
  // A process manager signals only npm. A terminal signals the process group.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} to npm stops the service gracefully, and npm waits for it`, async (t) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'svc-npm-'))
      const npm = spawn('npm', ['start'], {
        cwd: ROOT,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env['PATH'],
          HOME: dataDir,
          PORT: String(await freePort()),
          SVC_DATA_DIR: join(dataDir, 'data'),
          TURN_PORT: '0',
          npm_config_update_notifier: 'false',
        },
      })
      t.after(async () => {
        // Kills the process group, in case the service is still running; it normally has ended already.
        try {
          process.kill(-Number(npm.pid), 'SIGKILL')
        } catch {}
        await rm(dataDir, { recursive: true, force: true })
      })
      const exit = once(npm, 'exit')
      let said = ''
      npm.stdout.setEncoding('utf8').on('data', (more: string) => (said += more))
      const errors = text(npm.stderr)
      const timeout = AbortSignal.timeout(START_TIMEOUT_MS)
      while (!said.includes('ready in')) await once(npm.stdout, 'data', { signal: timeout })

      npm.kill(signal)
      const [code] = await exit
      assert.equal(code, 0, `${said}${await errors}`)
      assert.match(said, new RegExp(`"signal":"${signal}","msg":"stopping"`))
      assert.throws(() => process.kill(-Number(npm.pid), 0), { code: 'ESRCH' }, 'nothing is left behind')
    })
  }
})
