import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import type { Running } from '../../../../platform/ports/functions-engine.ts'
import { startDns } from '../../../../testing/dns-server.ts'
import { codeOf, get, openTestFunctions, specOf } from '../../../../testing/functions.ts'
import { openToOthers } from '../../../../testing/other-accounts.ts'

const CODE = codeOf(
  `
import { connect } from 'cloudflare:sockets'
import { env as imported } from 'cloudflare:workers'
import fs from 'node:fs'
import process from 'node:process'
const attempt = async (work) => { try { return { done: await work() } } catch (error) { return { refused: String(error?.message ?? error) } } }
const ROUTES = {
  get: (url) => fetch(url).then((response) => response.status),
  socket: (url) => new Promise((resolve, reject) => { const socket = new WebSocket(url); socket.onopen = () => resolve('open'); socket.onerror = () => reject(new Error('no connection')) }),
  tcp: async (address) => { await connect(address).opened; return 'opened' },
  read: (path) => fs.readFileSync(path, 'utf8'),
  list: (path) => fs.readdirSync(path),
  environment: () => [Object.keys(process.env).sort(), Object.keys(imported).sort()],
  run: async () => (await import('node:child_process')).execSync('id').toString(),
  eval: () => eval('1 + 1'),
  collect: () => globalThis.svcCollectGarbage(),
  redefine: () => Object.defineProperty(globalThis, 'svcCollectGarbage', { value: 1 }),
  module: () => import('svc-internal:service-calls').then(() => 'imported'),
  internal: () => import('cloudflare-internal:d1-api').then(() => 'imported'),
}
export default { async fetch(request) { const { pathname, searchParams } = new URL(request.url); return Response.json(await attempt(() => ROUTES[pathname.slice(1)](searchParams.get('x')))) } }`,
  { vars: { GREETING: 'hi' } },
)

const PRIVATE = [
  'http://127.0.0.1:22/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/',
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://0.0.0.0/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fd00::1]/',
  'https://100.64.0.1/',
  'http://user:password@127.0.0.1/',
]

describe('escapes from the sandbox', () => {
  let functions: Awaited<ReturnType<typeof openTestFunctions>>
  let running: Running
  const ended: (() => void)[] = []
  const attempt = async (kind: string, x = '', from = running) =>
    JSON.parse((await get(from, `/${kind}?x=${encodeURIComponent(x)}`)).text) as {
      done?: unknown
      refused?: string
    }
  before(async () => {
    const dns = await startDns(
      { after: (work) => void ended.push(work) },
      {
        'inside.example': ['127.0.0.1'],
        'both.example': ['93.184.215.14', '10.0.0.1'],
        'six.example': ['::1'],
      },
    )
    functions = await openTestFunctions({ resolver: dns.resolver })
    const spec = specOf(CODE, {
      allowLoopback: false,
      secrets: { API_KEY: 'secret' },
      limits: { cpuMs: 5_000, subRequests: 1000 },
    })
    running = await functions.engine.start(spec)
    await get(running, '/eval')
  })
  after(async () => {
    await functions.close()
    ended.forEach((end) => end())
  })

  test('addresses that are not public are refused in every spelling', async () => {
    for (const url of PRIVATE) {
      const { refused } = await attempt('get', url)
      assert.match(String(refused), /is not on the public internet/, url)
    }
    assert.match(String((await attempt('get', 'file:///etc/passwd')).refused), /./)
    assert.match(String((await attempt('get', 'ftp://example.com/')).refused), /./)
  })

  test('a name is refused if one of its addresses is not public', async () => {
    for (const name of ['inside.example', 'both.example', 'six.example']) {
      assert.match(
        String((await attempt('get', `https://${name}/`)).refused),
        /is not on the public internet/,
        name,
      )
      assert.match(String((await attempt('socket', `wss://${name}/`)).refused), /no connection/, name)
    }
  })

  test('a redirect to a private address is refused at that hop', async () => {
    const origin = createServer((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    }).listen(0, '127.0.0.1')
    await once(origin, 'listening')
    const { port } = origin.address() as AddressInfo
    const local = await functions.engine.start(specOf(CODE, { dataId: 'redirect' }))
    assert.match(
      String((await attempt('get', `http://127.0.0.1:${port}/`, local)).refused),
      /169.254.169.254 is not on/,
    )
    await local.stop(0)
    origin.close()
    origin.closeAllConnections()
  })

  test('raw TCP is not available', async () => {
    for (const address of ['127.0.0.1:22', '93.184.215.14:80', 'localhost:80'])
      assert.ok((await attempt('tcp', address)).refused, address)
  })

  test('files of the machine, of the sandbox and of other processes cannot be read', async () => {
    for (const path of [
      '/etc/passwd',
      '/proc/self/environ',
      '/proc/1/environ',
      '/data/stores',
      '/code/config.capnp',
      '/sockets/control.sock',
    ])
      assert.ok((await attempt('read', path)).refused, path)
    const { done = [] } = await attempt('list', '/')
    for (const name of ['etc', 'proc', 'data', 'code', 'sockets', 'home', 'root'])
      assert.ok(!(done as string[]).includes(name), `${name} in ${String(done)}`)
  })

  test('the environment shows bindings, and nothing of the process', async () => {
    const { done } = await attempt('environment')
    assert.deepEqual(done, [
      ['API_KEY', 'GREETING'],
      ['API_KEY', 'GREETING', 'SVC'],
    ])
  })

  test('programs, eval, internal modules and functions of V8 are refused', async () => {
    for (const kind of ['run', 'eval', 'module', 'internal', 'collect', 'redefine'])
      assert.ok((await attempt(kind)).refused, kind)
  })

  test('the process has no network, no capabilities, a seccomp filter and its own files', async () => {
    const account = process.getuid?.() === 0 ? 'own' : 'service'
    assert.deepEqual(await functions.engine.level(), { level: 'bubblewrap', account })
    const [pid = 0] = functions.engine.pids()
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1]
    assert.equal(field('CapEff'), '0000000000000000')
    assert.equal(field('CapBnd'), '0000000000000000')
    assert.equal(field('NoNewPrivs'), '1')
    assert.equal(field('Seccomp'), '2')
    if (process.getuid?.() === 0) assert.match(field('Uid') ?? '', /^65534\t/)
    for (const namespace of ['net', 'mnt', 'pid', 'ipc', 'uts', 'user'])
      assert.notEqual(
        readlinkSync(`/proc/${pid}/ns/${namespace}`),
        readlinkSync(`/proc/self/ns/${namespace}`),
        namespace,
      )
    const names = readdirSync(`/proc/${pid}/root`)
    for (const name of ['etc', 'home', 'root', 'work', 'var', 'opt']) assert.ok(!names.includes(name), name)
    assert.ok(existsSync(`/proc/${pid}/root/data`))
  })

  test('other accounts of the machine reach neither the sockets nor the data of a process', () => {
    const own = readdirSync(tmpdir()).filter((name) => name.startsWith(`svc-functions-${process.pid}-`))
    assert.ok(own.length > 0)
    for (const name of own) assert.deepEqual(openToOthers(join(tmpdir(), name)), [])
    assert.deepEqual(openToOthers(join(functions.root, 'functions')), [])
  })

  test('the secret is not in any file of the process nor in its command line', async () => {
    const [pid = 0] = functions.engine.pids()
    assert.ok(!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('secret'))
    assert.ok(!readFileSync(`/proc/${pid}/root/code/config.capnp`, 'utf8').includes('"secret"'))
  })
})
