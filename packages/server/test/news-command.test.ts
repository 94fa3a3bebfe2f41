import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { newEmailProject } from '../src/testing/email-players.ts'
import { newSubscriber } from '../src/testing/news.ts'
import { startService } from '../src/testing/service.ts'
import { operate } from './operator.ts'

test('[NWS-01] svc-server news: an operator can do a test send, send, and repeat the command', async (t) => {
  const service = await startService('sqlite')
  t.after(() => service.stop())
  const { development } = await newEmailProject(service)
  await newSubscriber(service, development, 'ada@example.com')
  const file = join(service.dataDir, 'news.txt')
  await writeFile(file, 'A new game.\n\nCome and play.\n\n')
  const news = (...args: string[]) => operate(service, 'news', 'send', '--subject', 'Hello', ...args)
  const send = (...more: string[]) => news('--file', file, ...more)

  const tried = await send('--dry-run')
  assert.deepEqual([tried.code, tried.errors], [0, ''])
  assert.match(tried.output, /^1 emails would be written; skipped: 0 already sent/m)

  assert.match((await send()).output, /^1 emails written; skipped: 0 already sent/m)
  assert.match((await send()).output, /^0 emails written; skipped: 1 already sent/m)

  const empty = await news()
  assert.equal(empty.code, 2)
  assert.match(empty.errors, /news send requires --subject and --file/)
})
