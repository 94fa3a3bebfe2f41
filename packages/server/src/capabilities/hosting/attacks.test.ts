import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { deploy, newApp, type Project, browserFor } from '../../testing/hosted-apps.ts'
import { type Service, startService } from '../../testing/service.ts'

/** Content that must never reach a visitor: of another app, of the disk, of the API. */
const FOREIGN = /foreign canary|root:|secret\.key|PRIVATE|"version"|environmentId/

const UP = ['..', '.', '%2e%2e', '%2E%2e', '.%2e', '%2e.', '%2e']
const HOSTILE = [
  // out of the folder, in every spelling
  ...UP.flatMap((up) => [
    `/${up}/secret.key`,
    `/a/${up}/index.html`,
    `/${up}`,
    `/docs/${up}/${up}/etc/passwd`,
  ]),
  '/..;/secret.key',
  '/..%00/secret.key',
  '/..%2fsecret.key',
  '/..%252fsecret.key',
  '/%252e%252e/secret.key',
  '/%c0%ae%c0%ae/secret.key',
  '/%e0%80%ae%e0%80%ae/secret.key',
  '/%uff0e%uff0e/secret.key',
  '/\u00b7\u00b7/secret.key',
  '/．．/secret.key',
  // backslashes
  '/..\\..\\secret.key',
  '/..%5c..%5csecret.key',
  '/%5c%5cserver%5cshare',
  '/docs\\index.html',
  '/docs%5cindex.html',
  '/C:\\Windows\\win.ini',
  '/C:/Windows/win.ini',
  // slashes that are encoded, too many, or missing
  '/docs%2findex.html',
  '/docs%2Findex.html',
  '//docs/index.html',
  '///',
  '/docs//index.html',
  '/docs/index.html/',
  '/index.html/',
  '//evil.example/',
  '//evil.example/%2e%2e',
  '/%2f%2fevil.example/',
  '/docs/%2e%2e/',
  '/\t/evil.example',
  '/%09/evil.example',
  // characters with a special meaning in other programs
  '/index.html%00',
  '/index.html%00.png',
  '/%00',
  '/index.html%0d%0aSet-Cookie:%20a=b',
  '/docs%0d%0aLocation:%20https://evil.example',
  '/docs?%0d%0aSet-Cookie:a=b',
  '/%0a',
  '/%7f',
  '/%c2%85',
  '/index.html%20',
  '/index.html.',
  '/index.html...',
  '/index.html::$DATA',
  '/index.html~1',
  '/index.ht%6dl%',
  '/%',
  '/%zz',
  '/%e2%82',
  '/%ff%fe',
  '/%ed%a0%80',
  '/%f4%90%80%80',
  // file names of other programs
  '/.git/config',
  '/.env',
  '/.htaccess',
  '/.ssh/id_rsa',
  '/~incoming/',
  '/~root/',
  '/proc/self/environ',
  '/etc/passwd',
  '/file:///etc/passwd',
  '/http://127.0.0.1/',
  '/wp-login.php',
  '/cgi-bin/sh',
  '/__proto__',
  '/constructor',
  '/hasOwnProperty',
  '/__proto__/polluted.js',
  // paths that are reserved for the service
  '/.svc',
  '/.svc/',
  '/.svc/../.svc/init.json',
  '/.svc/init.json/',
  '/.svc/init.json%00',
  '/.svc/%2e%2e/secret.key',
  '/.svc/unknown.js',
  '/.SVC/init.json',
  '/%2esvc/unknown',
  '/.card',
  '/.card.png',
  '/.card/x.png',
  '/.cards',
  '/%2ecard.png',
  '/.auth',
  '/.auth/',
  '/.auth/../v1/platform/info',
  '/.auth/%2e%2e/v1/platform/info',
  '/.auth//v1/platform/info',
  '/.auth/unknown',
  '/.auth%2fverify',
  // the API on the host of an app
  '/v1/platform/info',
  '/v1/projects',
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/dashboard',
  // long, deep and odd
  `/${'a'.repeat(8_000)}`,
  `/${'a/'.repeat(4_000)}`,
  `/${'%61'.repeat(2_000)}`,
  `/${'../'.repeat(1_000)}secret.key`,
  `/${'.'.repeat(1_000)}`,
  '/?',
  '/??',
  '/#/x',
  '/;/x',
  '/*',
  '/index.html;jsessionid=1',
  '/docs/?../../secret.key',
] as const

/** Request targets that are not a path. */
const TARGETS = [
  '*',
  'index.html',
  'http://evil.example/',
  'http://127.0.0.1/v1/platform/info',
  '..',
  '\\',
  '?x',
  'evil.example:80',
]

describe('hosted apps under attack', () => {
  let service: Service
  let mine: Project
  let visit: Awaited<ReturnType<typeof browserFor>>
  before(async () => {
    service = await startService('sqlite', { settings: { SVC_RATE_LIMITS: 'off' } })
    visit = await browserFor(service)
    mine = await newApp(service)
    const yours = await newApp(service)
    await deploy(service, mine.development, {
      'index.html': 'mine',
      'docs/index.html': 'my docs',
      'a.txt': 'a',
    })
    await deploy(service, yours.development, {
      'index.html': 'foreign canary',
      'only-theirs.txt': 'foreign canary',
    })
  })
  after(() => service.stop())

  /** Written directly to the socket, because every client corrects or rejects such URLs. */
  async function send(target: string, host = `${mine.slug}--dev.localhost`) {
    const { port } = service.http.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    socket.write(head)
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    await once(socket, 'close')
    const answer = Buffer.concat(received).toString('latin1')
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? []
    return { status: Number(status), answer, body: answer.slice(answer.indexOf('\r\n\r\n') + 4) }
  }

  test('the attack table has more than 100 distinct entries', () => {
    assert.ok(HOSTILE.length > 100, String(HOSTILE.length))
    assert.equal(new Set(HOSTILE).size, HOSTILE.length)
  })

  for (const target of [...HOSTILE, ...TARGETS]) {
    test(`${target.length > 60 ? `${target.slice(0, 60)}… (${target.length})` : JSON.stringify(target)} gets only the app or a rejection`, async () => {
      const { status, answer, body } = await send(target)
      assert.ok([200, 302, 400, 404].includes(status), `${status}`)
      assert.doesNotMatch(answer, FOREIGN)
      assert.doesNotMatch(
        answer,
        /^set-cookie: (?!__svc-version=1; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax\r$)/im,
      )
      if (status === 200) assert.ok(['mine', 'my docs', 'a'].includes(body), body)
      const location = /^location: (.*)$/im.exec(answer)?.[1]
      if (location !== undefined) assert.match(location, /^\/docs\/(\?|\r?$)/)
    })
  }

  test('dots, backslashes and control characters are rejected in every spelling', async () => {
    for (const target of [
      '/../a.txt',
      '/%2e%2e/a.txt',
      '/x/%2E%2E/a.txt',
      '/..%5ca.txt',
      '/a.txt%00',
      '/a%0ab',
      '/%',
    ])
      assert.equal((await send(target)).status, 400, target)
  })

  test('[HST-09] a reserved path is reserved in every spelling', async () => {
    assert.match((await send('/%2eauth/verify')).body, /Confirm your email/)
    assert.match((await send('/%2esvc/init%2ejson')).body, /"apiUrl"/)
  })

  test('hosts that do not belong to an app never serve one', async () => {
    const label = `${mine.slug}--dev`
    for (const host of [
      `${label}.localhost@evil.example`,
      `evil.example#${label}.localhost.`,
      `${label}%2elocalhost`,
      `${label}.localhost.evil.example`,
      `${label}localhost`,
      `..${label}.localhost`,
      `${label}..localhost`,
      `${label}.localhost:80:80`,
      `${label}_.localhost`,
      'localhost',
      '[::1]',
      '',
    ]) {
      const { status, answer } = await send('/a.txt', host)
      assert.ok(status >= 400 && status < 500, `${host}: ${status}`)
      assert.doesNotMatch(answer, FOREIGN)
      assert.notEqual((await send('/', host)).body, 'mine', host)
    }
  })

  test('two Unicode forms of a name are the same file, and only one form can be deployed', async () => {
    const { development, slug } = await newApp(service)
    await deploy(service, development, { 'é.txt': 'one' })
    for (const path of ['/%C3%A9.txt', '/e%CC%81.txt'])
      assert.equal((await visit(`${slug}--dev`, path)).text, 'one')
    const twice = [
      { path: 'é.txt', sha256: 'a'.repeat(64), size: 1 },
      { path: 'e\u0301.txt', sha256: 'a'.repeat(64), size: 1 },
    ]
    const { body } = await development.server('POST', '/v1/deployments', { files: twice })
    assert.equal(body.error.code, 'invalid_path')
  })
})
