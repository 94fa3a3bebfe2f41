import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { startService } from '../src/testing/service.ts'
import { startSmtpServer } from '../src/testing/smtp-server.ts'
import { operate } from './operator.ts'
import { callerOf, startServer } from './server-process.ts'

const tokenIn = (text: string) => /#(?:setup|invitation)=([\w-]+)/.exec(text)?.[1] ?? ''

test('the first start prints a set-up link, a restart before its use prints a new one, and later starts print none', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-set-up-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const run = async (
    work: (call: ReturnType<typeof callerOf>, banner: string) => Promise<void> = async () => {},
  ) => {
    const server = await startServer({ SVC_DATA_DIR: dataDir, SVC_BASE_URL: 'https://api.example.com' })
    await work(callerOf(server), server.banner)
    server.signal('SIGTERM')
    return (await server.ended).output
  }
  const signUp = (call: ReturnType<typeof callerOf>, invitation: string) =>
    call('POST', '/v1/developers/signup', {
      body: { email: 'operator@example.com', password: 'correct horse', invitation },
    })

  const first = await run()
  assert.match(first, /Dashboard +https:\/\/api\.example\.com\/dashboard#setup=[\w-]{43} /)
  const second = await run(async (call, banner) => {
    assert.equal((await signUp(call, tokenIn(first))).status, 400)
    assert.equal((await signUp(call, tokenIn(banner))).status, 200)
  })
  assert.notEqual(tokenIn(second), tokenIn(first))
  assert.doesNotMatch(await run(), /Set up/)
})

test('a start prints how to name an operator, if there are accounts and none is an operator', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-no-operator-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const settings = { SVC_DATA_DIR: dataDir, SVC_BASE_URL: 'https://api.example.com', SVC_SIGN_UP: 'open' }
  const run = async (work: (call: ReturnType<typeof callerOf>) => Promise<void> = async () => {}) => {
    const server = await startServer(settings)
    await work(callerOf(server))
    server.signal('SIGTERM')
    return (await server.ended).output
  }
  const NAMING = /no operator.*svc-server developers operator <email>/
  const first = await run(async (call) => {
    const body = { email: 'ada@example.com', password: 'correct horse' }
    assert.equal((await call('POST', '/v1/developers/signup', { body })).status, 200)
  })
  assert.doesNotMatch(first, NAMING)
  const second = await run()
  assert.match(second, NAMING)
  assert.match(second, /#setup=/, 'which also creates one')
  const variables = { PATH: process.env['PATH'] ?? '', ...settings }
  const named = await operate({ dataDir, variables }, 'developers', 'operator', 'ada@example.com')
  assert.equal(named.code, 0, named.errors)
  assert.doesNotMatch(await run(), NAMING)
})

test('an operator can create, list and revoke invitations while the service runs on SQLite', async (t) => {
  const service = await startService('sqlite', { settings: { SVC_SIGN_UP: 'first' } })
  t.after(() => service.stop())
  const developers = (...args: string[]) => operate(service, 'developers', ...args)
  assert.deepEqual((await developers('list')).output, 'There are no developers yet.\n')

  const invited = await developers('invite', 'Ada@Example.com')
  assert.deepEqual([invited.code, invited.errors], [0, ''])
  assert.match(
    invited.output,
    /^http:\/\/localhost:8787\/dashboard#invitation=.*\nThe link works once, for 7 days\. Send it/,
  )
  assert.match((await developers('list')).output, /^ada@example\.com {2}invited until \d{4}-/)
  const body = { email: 'ada@example.com', password: 'correct horse', invitation: tokenIn(invited.output) }
  assert.equal((await service.call('POST', '/v1/developers/signup', body)).status, 200)

  assert.equal((await developers('operator', 'ada@example.com')).code, 0)
  assert.match(
    (await developers('list')).output,
    /^ada@example\.com {2}since 20.* operator {2}email not confirmed/,
  )
  assert.equal((await developers('operator', 'ada@example.com', '--remove')).code, 0)
  assert.doesNotMatch((await developers('list')).output, /operator/)

  await developers('invite', 'bob@example.com')
  assert.equal((await developers('revoke', 'bob@example.com')).code, 0)
  const again = await developers('revoke', 'bob@example.com')
  assert.deepEqual([again.code, again.errors], [1, 'There is no open invitation for bob@example.com.\n'])
  assert.equal((await developers('operator', 'bob@example.com')).code, 1)
  assert.equal((await developers('invite', 'nonsense')).code, 1)
  assert.equal((await developers('invite')).code, 2)
})

test('an invitation created by a command works on a running service on PostgreSQL', async (t) => {
  const settings = { SVC_SIGN_UP: 'first' }
  const service = await startService('postgres', { settings })
  t.after(() => service.stop())

  const { output } = await operate(
    { ...service, variables: settings },
    'developers',
    'invite',
    'ada@example.com',
  )

  const body = { email: 'ada@example.com', password: 'correct horse', invitation: tokenIn(output) }
  assert.equal((await service.call('POST', '/v1/developers/signup', body)).status, 200)
})

test('an invitation is emailed if SMTP is configured', async (t) => {
  const smtp = await startSmtpServer()
  t.after(() => smtp.stop())
  const settings = { SVC_SIGN_UP: 'first', SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc@example.com' }
  const service = await startService('sqlite', { settings })
  t.after(() => service.stop())

  const { output } = await operate(service, 'developers', 'invite', 'ada@example.com')

  assert.match(output, /It was also mailed to ada@example\.com\./)
  await smtp.arrived(1)
  assert.ok(smtp.received[0]?.mail.text?.includes(tokenIn(output)))
})
