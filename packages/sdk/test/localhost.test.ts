import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect as connectTo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'

import { startFixtures, type Fixtures } from './fixtures.ts'

const SDK = new URL('../src/index.ts', import.meta.url).href

/** The service behind https, at a name that Node does not resolve by itself. */
let fixtures: Fixtures
let folder: string
let proxy: ReturnType<typeof createServer>
let url: string
before(async () => {
  fixtures = await startFixtures()
  folder = await mkdtemp(join(tmpdir(), 'svc-localhost-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
  const named = '-subj /CN=svc.localhost -addext subjectAltName=DNS:svc.localhost'
  execFileSync('openssl', [...`${made} ${named}`.split(' '), '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })

  const { hostname, port, host } = new URL(fixtures.url)
  proxy = createServer({ cert: await readFile(cert), key: await readFile(key) }, (asked, answer) => {
    const headers = { ...asked.headers, host }
    const onward = request({ hostname, port, method: asked.method, path: asked.url, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(answer)
    })
    asked.pipe(onward)
  })
  proxy.on('upgrade', ({ headers, url: path }, socket) => {
    const onward = connectTo(Number(port), hostname, () => {
      const lines = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${String(value)}`)
      onward.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      onward.pipe(socket).pipe(onward)
    })
    for (const one of [onward, socket]) one.on('error', () => {})
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  url = `https://svc.localhost:${(proxy.address() as AddressInfo).port}`
})
after(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await fixtures.stop()
  await rm(folder, { recursive: true })
})

async function run(variables: Record<string, string>) {
  const program = `import { connect } from '${SDK}'
    const svc = await connect(${JSON.stringify({ url, key: fixtures.key })}).catch((error) => console.log(error.message))
    const room = await svc?.rooms.create({ mode: 'party' })
    if (room) console.log(room.players.length)
    svc?.close()`
  const args = ['--conditions=source', '--input-type=module', '-e', program]
  const child = spawn(process.execPath, args, { env: variables, stdio: ['ignore', 'pipe', 'inherit'] })
  return (await text(child.stdout)).trim()
}

test('in Node a name under localhost works over https, for calls and for the socket', async () => {
  assert.equal(await run({ NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') }), '1')
})

test('a certificate that Node does not trust is mentioned in the error', async () => {
  assert.match(
    await run({}),
    /^no response from https:\/\/svc\.localhost:\d+: Error: self-signed certificate/,
  )
})
