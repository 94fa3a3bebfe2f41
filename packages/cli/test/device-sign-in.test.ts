import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { after, before, test } from 'node:test'

import { commandLine, launch, startTestSetup, type TestSetup } from './cli.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse'
const TIMEOUT_MS = 60_000

let setup: TestSetup
let token: string
before(async () => {
  setup = await startTestSetup()
  const { body } = await setup.call('POST', '/v1/developers/signup', {
    body: { email: EMAIL, password: PASSWORD, invitation: /#setup=([\w-]+)/.exec(setup.banner)?.[1] },
  })
  token = body.token
})
after(() => setup.stop())

let homes = 0
/** The variables of a user who is not signed in. */
async function someone() {
  const home = join(setup.root, `someone-${++homes}`)
  await mkdir(home)
  return { ...setup.own, HOME: home }
}

const developers = async () =>
  (await setup.call('GET', '/v1/operator/developers', { token })).body.developers.length

/** Waits for the code in the output, and decides as the developer in the dashboard would. */
async function decide(child: ChildProcess & { stdout: Readable }, confirm: boolean) {
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => (said += more))
  const ended = once(child, 'exit')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const code = () => /one-time code: \S*?([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(said)?.[1]
  while (code() === undefined) await once(child.stdout, 'data', { signal })
  const { status } = await setup.call('POST', '/v1/x/developers/device-codes/decision', {
    token,
    body: { code: code(), confirm },
  })
  assert.equal(status, 200)
  const [exitCode] = await ended
  return { code: exitCode, out: said }
}

test('[DEV-01] where a developer exists, svc new and svc init create no account, and say how to sign in', async () => {
  const variables = await someone()
  const folder = join(setup.root, 'app')
  await mkdir(folder)
  for (const args of [
    ['new', 'game'],
    ['init', '--yes'],
  ]) {
    const { code, err } = await setup.svc(args, { variables, folder })
    assert.equal(code, 3)
    assert.match(err, /You are not signed in at http:\/\/localhost:\d+\./)
    assert.match(
      err,
      /→ Run: svc login --web --url http:\/\/localhost:\d+\. Without a browser: svc login --email /,
    )
  }
  await assert.rejects(stat(join(folder, 'game')))
  await assert.rejects(stat(join(folder, '.svc')))
  assert.equal(await developers(), 1)
})

test('[DEV-01] in a terminal svc new shows a code, and goes on once it is confirmed', async () => {
  const variables = { ...(await someone()), TERM: 'xterm', NO_COLOR: '1' }
  const line = commandLine(['new', 'confirmed', '--no-install'])
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: setup.root, env: variables })
  const { code, out } = await decide(child, true)
  assert.equal(code, 0, out)
  assert.match(out, /Open http:\/\/localhost:\d+\/dashboard\/device and enter it there\./)
  assert.match(out, /◆ signed in as ada@example\.com/)
  assert.ok((await stat(join(setup.root, 'confirmed/.svc/project.json'))).isFile())
  assert.equal((await setup.json(['whoami'], { variables })).developer.email, EMAIL)
  assert.equal(await developers(), 1)
})

test('[DEV-01] svc login --web works without a terminal; a refused code signs nobody in', async () => {
  const variables = await someone()
  const logIn = () => launch(['login', '--web'], { folder: setup.root, variables })
  const refused = await decide(logIn(), false)
  assert.equal(refused.code, 3)
  assert.equal((await setup.svc(['whoami'], { variables })).code, 3)
  const { code, out } = await decide(logIn(), true)
  assert.equal(code, 0)
  assert.match(out, /◆ signed in at http:\/\/localhost:\d+ as ada@example\.com/)
  assert.equal((await setup.svc(['whoami'], { variables })).code, 0)
})

test('[DEV-01] a developer token is enough, as --token or SVC_TOKEN, and is not stored', async () => {
  const variables = await someone()
  const byVariable = { ...variables, SVC_TOKEN: `${token}\n` }
  assert.equal((await setup.svc(['new', 'by-variable', '--no-install'], { variables: byVariable })).code, 0)
  const byOption = await setup.svc(['new', 'by-option', '--no-install', '--token', token], { variables })
  assert.equal(byOption.code, 0, byOption.err)
  await assert.rejects(stat(join(variables.HOME, '.config/svc/credentials.json')))

  for (const [given, ends] of [
    ['kds_unknown', 3],
    ['sk_dev_1', 2],
  ] as const) {
    const { code } = await setup.svc(['new', 'wrong', '--token', given], { variables })
    assert.equal(code, ends, given)
  }
  assert.equal((await setup.svc(['whoami'], { variables })).code, 3)
  assert.equal((await setup.svc(['login', '--token', token], { variables })).code, 0)
  assert.equal((await setup.json(['whoami'], { variables })).developer.email, EMAIL)
})

test('[DEV-01] a stored session that has ended asks to sign in again', async () => {
  const variables = await someone()
  const folder = join(variables.HOME, '.config/svc')
  await mkdir(folder, { recursive: true })
  const services = { [setup.url]: { email: EMAIL, token: 'kds_ended' } }
  await writeFile(join(folder, 'credentials.json'), JSON.stringify({ services }), { mode: 0o600 })
  const { code, err } = await setup.svc(['new', 'ended'], { variables })
  assert.deepEqual([code, /→ Run: svc login --web/.test(err)], [3, true])
})
