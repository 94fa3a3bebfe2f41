import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

import { newEmailProject } from '../src/testing/email-players.ts'
import { newSubscriber } from '../src/testing/news.ts'
import { startService } from '../src/testing/service.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

/** The program as an operator runs it, on the data folder of a service that was stopped. */
async function run(dataDir: string, args: string[]) {
  const { PATH } = process.env
  const program = spawn(process.execPath, ['--conditions=source', MAIN, 'news', 'send', ...args], {
    env: { PATH, SVC_DATA_DIR: dataDir, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], output, errors] = await Promise.all([
    once(program, 'exit'),
    text(program.stdout),
    text(program.stderr),
  ])
  return { code, output, errors }
}

test('[NWS-01] an operator sends news by a command, tries it first, and may run it again', async (t) => {
  const service = await startService('sqlite')
  t.after(() => service.stop())
  const { development } = await newEmailProject(service)
  await newSubscriber(service, development, 'ada@example.com')
  await service.close()
  const file = join(service.dataDir, 'news.txt')
  await writeFile(file, 'A new game.\n\nCome and play.\n\n')
  const send = (...more: string[]) => run(service.dataDir, ['--subject', 'Hello', '--file', file, ...more])

  const tried = await send('--dry-run')
  assert.deepEqual([tried.code, tried.errors], [0, ''])
  assert.match(tried.output, /^1 mails would be written; 0 addresses had it before/m)

  assert.match((await send()).output, /^1 mails written; 0 addresses had it before/m)
  assert.match((await send()).output, /^0 mails written; 1 addresses had it before/m)

  const empty = await run(service.dataDir, ['--subject', 'Hello'])
  assert.equal(empty.code, 2)
  assert.match(empty.errors, /News needs a --subject and a --file/)
})
