import assert from 'node:assert/strict'
import { chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { readSetUpToken } from '../src/sign-in/set-up-link.ts'
import { startTestSetup, type TestSetup } from './cli.ts'

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
})
after(() => setup.stop())

const info = async () => (await setup.call('GET', '/v1/platform/info', {})).body
const lookUp = async (invitation: string) =>
  (await setup.call('POST', '/v1/x/developers/sign-up-links/look-up', { body: { invitation } })).status

test('[DEV-23] the socket gives its user a set-up link of this service only, and other users none', async () => {
  const { local, setup: isNew } = await info()
  assert.deepEqual([isNew, local.account], [true, null])
  const socket = local.operatorSocket
  assert.equal(socket, join(setup.dataDir, 'operator.sock'))
  assert.equal((await stat(socket)).mode & 0o777, 0o600)

  assert.equal(await lookUp((await readSetUpToken(setup.url, socket)) ?? ''), 200)
  assert.equal(await readSetUpToken(setup.url.replace(/\d+$/, '1'), socket), undefined, 'of another service')
  const file = join(setup.root, 'operator.sock')
  await writeFile(file, '')
  assert.equal(await readSetUpToken(setup.url, file), undefined, 'a file')
  assert.equal(await readSetUpToken(setup.url, join(setup.root, 'none')), undefined)
  if (process.getuid?.() !== 0) return
  await chown(socket, 1, 1)
  assert.equal(await readSetUpToken(setup.url, socket), undefined, 'of another user')
  await chown(socket, 0, 0)
})

test('[DEV-23] [MON-01] the account of svc new is the operator’s and has test credit; the printed link is void', async () => {
  const printed = /#setup=([\w-]+)/.exec(setup.banner)?.[1] ?? ''
  assert.equal(await lookUp(printed), 200)
  await setup.json(['new', 'game', '--template', 'empty', '--no-install'])
  assert.equal(await lookUp(printed), 400)
  assert.deepEqual((await info()).local, { account: 'developer@localhost', operatorSocket: null })
  const { developer } = await setup.json(['whoami'])
  assert.equal(developer.isOperator, true)
  assert.equal((await setup.json(['money'])).balance, 2_000)
})

test('[DSH-80] svc dashboard prints a URL that signs a browser in once', async () => {
  const folder = join(setup.root, 'game')
  const open = async (url: string) => {
    const body = { code: new URL(url).hash.replace('#code=', '') }
    return setup.call('POST', '/v1/x/developers/browser-codes/session', { body })
  }
  const { out } = await setup.svc(['dashboard'])
  assert.match(
    out,
    /signed in as developer@localhost; works once, within 60 s:\n {2}http:\S+\/dashboard#code=\S{43}\n/,
  )
  const { url, email } = await setup.json(['dashboard'], { folder })
  assert.equal(new URL(url).pathname, '/dashboard/game/development/overview')
  const { status, body } = await open(url)
  assert.deepEqual([status, body.developer.email], [200, email])
  assert.equal((await setup.call('GET', '/v1/developers/me', { token: body.token })).status, 200)
  assert.equal((await open(url)).status, 400)
})
