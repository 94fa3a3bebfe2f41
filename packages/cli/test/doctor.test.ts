import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'

import { findOrInstall } from '../../../scripts/programs.ts'
import { startPostgres, startRedis } from '../../../scripts/services.ts'
import { comesTrue } from '../../server/src/testing/in-time.ts'
import { startSmtpServer } from '../../server/src/testing/smtp-server.ts'
import { VERSION } from '../../server/src/version.ts'
import { freePort } from '../../server/test/server-process.ts'
import { type TestSetup, startTestSetup } from './cli.ts'

type Check = { name: string; ok: boolean | null; says: string; fix?: string }

const named = (checks: Check[], name: string) => checks.find((check) => check.name === name)
const checkOf = (checks: Check[], name: string) => named(checks, name)?.ok

let setup: TestSetup
before(async () => {
  findOrInstall('bubblewrap')
  setup = await startTestSetup()
  await setup.json(['new', 'game', '--no-install'])
})
after(() => setup.stop())

describe('svc doctor', () => {
  test('[OPS-47] all is well, with the state of every part of the service', async () => {
    const { code, out } = await setup.svc(['doctor'], { folder: join(setup.root, 'game') })

    assert.equal(code, 0, out)
    for (const name of [
      'Node',
      'disk',
      'service',
      'database',
      'bus',
      'blobs',
      'functions',
      'clock',
      'sign-in',
      'project',
    ]) {
      assert.match(out, new RegExp(`✔ ${name} `))
    }
    for (const name of ['service clock', 'service disk', 'cards', 'turn', 'voice'])
      assert.match(out, new RegExp(`✔ ${name} `))
    assert.match(out, /· mail .*read them with svc mail/)
    assert.match(out, /· backup .*no backup/)
    assert.match(out, /· databaseStandby .*SQLite/)
    assert.match(out, /· databaseConnections .*SQLite/)
    assert.match(out, /functions .*with (their own|the service’s) account/)
  })

  test('every problem has a fix, and the exit code is 1', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { code, out, err } = await setup.svc(['doctor', '--url', url])

    assert.equal(code, 1)
    assert.match(out, /✖ service {2}nothing listens at .* → start it: npm start/)
    assert.match(err, /1 check of \d+ failed/)
  })

  test('reports a mail server and a TURN server that do not respond', async () => {
    const port = await freePort()
    const variables = {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      TURN_URLS: `turn:127.0.0.1:${port}?transport=tcp`,
    }
    const { code, json } = await setup.svc(['doctor', '--json'], { variables })
    assert.equal(code, 1)
    const { checks } = json.error.details
    assert.deepEqual([checkOf(checks, 'SMTP'), checkOf(checks, 'TURN')], [false, false])

    const there = createServer().listen(port, '127.0.0.1')
    await once(there, 'listening')
    const { checks: now } = await setup.json(['doctor'], { variables })
    there.close()
    assert.deepEqual([checkOf(now, 'SMTP'), checkOf(now, 'TURN')], [true, true])
  })

  test('a UDP relay that does not respond over TCP is not reported as missing', async () => {
    const variables = { TURN_URLS: `turn:127.0.0.1:${await freePort()}` }
    const { checks } = await setup.json(['doctor'], { variables })
    assert.deepEqual(
      [checkOf(checks, 'TURN'), /UDP was not tested/.test(named(checks, 'TURN')?.says ?? '')],
      [null, true],
    )
    const { checks: own } = await setup.json(['doctor'], { variables: { TURN_URLS: '' } })
    assert.deepEqual([checkOf(own, 'TURN'), checkOf(own, 'turn')], [undefined, true])
  })

  test('reports a full disk, also for a folder that does not exist yet', async () => {
    // This file system has no free space.
    for (const folder of ['/proc', '/proc/not/there']) {
      const { code, out } = await setup.svc(['doctor'], { variables: { SVC_DATA_DIR: folder } })
      assert.equal(code, 1)
      assert.match(out, new RegExp(`✖ disk +0 B free {2}→ free disk space in ${folder}\n`))
    }
  })

  test('[OPS-70] of a service elsewhere it says what is unknown, and nothing about the settings of this shell', async (t) => {
    // Only an operator gets the parts.
    const front = await inFrontOf(
      t,
      () => new Date().toUTCString(),
      (text) => {
        const { parts: _, ...rest } = JSON.parse(text) as { parts?: unknown }
        return JSON.stringify(rest)
      },
    )
    const variables = {
      SMTP_URL: 'smtp://127.0.0.1:1',
      TURN_URLS: 'turns:127.0.0.1:1',
      SVC_DATA_DIR: '/proc',
    }
    const { checks } = await setup.json(['doctor', '--url', front.replace('127.0.0.1', '0.0.0.0')], {
      variables,
    })
    for (const name of ['mail', 'turn', 'service disk'])
      assert.deepEqual(
        [named(checks, name)?.ok, named(checks, name)?.says],
        [null, 'unknown from here'],
        name,
      )
    for (const name of ['SMTP', 'TURN', 'disk', 'sent mail'])
      assert.equal(named(checks, name), undefined, name)
  })

  test('[OPS-71] an operator learns the state of every part from anywhere, and that emails have failed', async (t) => {
    const smtp = await startSmtpServer()
    t.after(() => smtp.stop())
    smtp.decide.onRecipient = () => ({ responseCode: 550, message: 'no such mailbox' })
    const there = await startTestSetup({
      SMTP_URL: smtp.url,
      SVC_MAIL_FROM: 'game@example.com',
      SVC_METRICS_TOKEN: 'token-of-the-operator',
    })
    t.after(() => there.stop())
    await there.json(['new', 'game', '--no-install'])
    const at = { folder: join(there.root, 'game') }
    // The address of a new developer is to be confirmed.
    await comesTrue('an email has failed', async () => (await there.svc(['doctor'], at)).code === 1)
    const { out, err } = await there.svc(['doctor'], at)
    assert.match(out, /✔ mail +the mail server accepts/)
    assert.match(out, /✔ service disk /)
    assert.match(out, /✖ sent mail +\d emails? of the last 30 days could not be delivered {2}→ /)
    assert.match(err, /1 check of \d+ failed/)
  })

  test('reports clock skew between this machine and the service', async (t) => {
    for (const [aheadMs, says] of [
      [-3_600_000, /3[56]\d\d s ahead of the service’s/],
      [3_600_000, /3[56]\d\d s behind the service’s/],
    ] as const) {
      const url = await inFrontOf(t, () => new Date(Date.now() + aheadMs).toUTCString())
      const { code, out } = await setup.svc(['doctor', '--url', url])
      assert.equal(code, 1)
      assert.match(out, says)
      assert.match(out, /✖ clock .*→ synchronize both clocks with NTP/)
    }
    const url = await inFrontOf(t, () => undefined)
    const { checks } = await setup.json(['doctor', '--url', url])
    assert.deepEqual(
      [checkOf(checks, 'clock'), named(checks, 'clock')?.says],
      [null, 'the response has no Date header'],
    )
  })

  test('[OPS-03] says which CLI has another version than the service, and what replaces it', async (t) => {
    const url = await inFrontOf(
      t,
      () => new Date().toUTCString(),
      (text) => text.replace(`"version":"${VERSION}"`, '"version":"9.9.9"'),
    )
    const install = `npm install -g ${url}/packages/svc-cli.tgz`
    const versionsOf = async (PATH: string) => {
      const { checks } = await setup.json(['doctor', '--url', url], { variables: { PATH } })
      return (checks as Check[]).filter(({ name }) => name === 'version')
    }
    const says = (which: string, version: string) => ({
      name: 'version',
      ok: null,
      says: `${which} is ${version}, the service is 9.9.9`,
      fix: install,
    })
    assert.deepEqual(await versionsOf(''), [says('this CLI', VERSION)])
    const old = join(setup.root, 'old')
    await mkdir(join(old, 'bin'), { recursive: true })
    await writeFile(join(old, 'package.json'), '{ "version": "0.0.9" }')
    await writeFile(join(old, 'bin/svc.js'), '')
    await symlink('svc.js', join(old, 'bin/svc'))
    assert.deepEqual(await versionsOf(join(old, 'bin')), [
      says('this CLI', VERSION),
      says('svc in the PATH', '0.0.9'),
    ])
  })

  test('reports a revoked secret key', async () => {
    const folder = join(setup.root, 'game')
    const { key, plaintext } = await setup.json(['keys', 'create'], { folder })
    const variables = { SVC_KEY: plaintext }
    assert.equal(checkOf((await setup.json(['doctor'], { folder, variables })).checks, 'sign-in'), true)

    await setup.json(['keys', 'revoke', key.id, '--yes'], { folder })
    const { code, out } = await setup.svc(['doctor'], { folder, variables })
    assert.equal(code, 1)
    assert.match(out, /✖ sign-in .*→ set SVC_KEY to an active key/)
    assert.ok(!out.includes(plaintext))
  })

  test('stopped engines are reported with their setting, without a hint to sign in', async (t) => {
    const [postgres, redis] = await Promise.all([startPostgres({ sync: false }), startRedis()])
    t.after(() => Promise.all([postgres.stop(), redis.stop()]))
    const grown = await startTestSetup({ DATABASE_URL: postgres.url, REDIS_URL: redis.url })
    t.after(() => grown.stop())
    await grown.json(['new', 'game', '--no-install'])
    await redis.stop()
    await postgres.stop()
    await rename(join(grown.dataDir, 'blobs'), join(grown.dataDir, 'gone'))

    const { code, out } = await grown.svc(['doctor'], { folder: join(grown.root, 'game') })
    assert.equal(code, 1)
    for (const [name, fix] of [
      ['database', 'DATABASE_URL'],
      ['bus', 'REDIS_URL'],
      ['counters', 'REDIS_URL'],
      ['blobs', 'SVC_BLOBS_URL'],
    ])
      assert.match(out, new RegExp(`✖ ${name} +does not answer {2}→ .*${fix}`))
    assert.match(out, /· sign-in +developer@localhost\n/)
    assert.match(out, /· project +prj_\w+\n/)
  })
})

/** The service as seen from a machine with another clock; `date` undefined: the response has no Date header. */
async function inFrontOf(t: TestContext, date: () => string | undefined, change = (text: string) => text) {
  const front = createHttpServer((asked, answer) => {
    fetch(`http://127.0.0.1:${setup.port}${asked.url}`)
      .then(async (reply) => {
        const text = change(await reply.text())
        const received = date()
        answer.sendDate = false
        if (received !== undefined) answer.setHeader('Date', received)
        const id = reply.headers.get('X-Request-Id') ?? ''
        answer.writeHead(reply.status, { 'Content-Type': 'application/json', 'X-Request-Id': id }).end(text)
      })
      .catch((error: Error) => answer.destroy(error))
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  t.after(() => {
    front.closeAllConnections()
    front.close()
  })
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`
}
