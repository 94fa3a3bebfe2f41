import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { freePort } from '../../../../test/server-process.ts'
import { type Page, startBrowser } from '../../../testing/browser.ts'
import { type FirefoxPage, startFirefox } from '../../../testing/firefox.ts'
import { deploy, newApp } from '../../../testing/hosted-apps.ts'
import { newKey } from '../../../testing/money.ts'
import { type Service, startService } from '../../../testing/service.ts'

type AnyPage = Pick<Page | FirefoxPage, 'open' | 'read' | 'press' | 'until' | 'close'>
type Browser = { newPage(): Promise<AnyPage>; close(): Promise<void> }

const HTML = '<!doctype html><meta charset="utf-8"><title>A page</title>'
const SECRET = 'the secret of another local service'

/** What a page tries; an answer that it cannot read is `blocked`. */
const attempts = (api: string, secret: string, checkout: string) => `(async () => {
  const read = async (url, init) => {
    try {
      const response = await fetch(url, init)
      const text = await response.text()
      return text.includes('kds_') || text.includes(${JSON.stringify(SECRET)}) ? 'got ' + text : response.status + ' ' + (/"code":"(\\w+)"/.exec(text)?.[1] ?? '')
    } catch { return 'blocked' }
  }
  const post = (path, body, type = 'application/json') =>
    read(${JSON.stringify(api)} + path, { method: 'POST', headers: { 'Content-Type': type }, body })
  const account = JSON.stringify({ email: 'evil@example.com', password: 'correct horse' })
  const own = JSON.stringify({ email: 'developer@localhost', password: 'correct horse' })
  return JSON.stringify({
    information: await read(${JSON.stringify(api)} + '/v1/platform/info'),
    signUp: await post('/v1/developers/signup', account),
    logIn: await post('/v1/developers/login', own),
    deviceCode: await post('/v1/x/developers/device-codes', '{}'),
    browserCode: await post('/v1/x/developers/browser-codes', '{}'),
    project: await post('/v1/projects', '{"name":"Evil"}'),
    checkout: await post('/checkout/test/${checkout}', 'action=pay', 'application/x-www-form-urlencoded'),
    deploy: await post('/v1/deployments', '{"files":[]}'),
    secret: await read(${JSON.stringify(secret)}),
  })
})()`

const NOTHING = {
  information: '403 origin_not_allowed',
  signUp: '403 origin_not_allowed',
  logIn: '403 origin_not_allowed',
  deviceCode: '403 origin_not_allowed',
  browserCode: '401 unauthorized',
  project: '401 unauthorized',
  checkout: '403 origin_not_allowed',
  deploy: '401 key_required',
  secret: 'blocked',
}

for (const [name, start] of [
  // As if the name of a stranger's page pointed to this machine.
  ['Chromium', () => startBrowser({ flags: ['--host-resolver-rules=MAP evil.test 127.0.0.1'] })],
  ['Firefox', startFirefox],
] as const)
  describe(`pages that a developer visits in ${name}`, () => {
    let service: Service
    let browser: Browser
    let site: Server
    let port: number
    let [api, checkout, app] = ['', '', '']
    const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
    before(async () => {
      port = await freePort()
      api = `http://localhost:${port}`
      service = await startService('sqlite', { settings: { SVC_BASE_URL: api } })
      await service.http.listen({ host: '127.0.0.1', port })
      const project = await newApp(service)
      await deploy(service, project.development, { 'index.html': HTML })
      app = `http://${project.slug}--dev.localhost:${port}/`
      const urls = {
        amount: 2_000,
        successUrl: `${api}/checkout/done`,
        cancelUrl: `${api}/checkout/cancelled`,
      }
      const paid = await project.developer.call('POST', '/v1/money/prepaid/checkout', urls, newKey())
      checkout = paid.body.id
      // Serves the page of a stranger, and at /secret what only programs of this machine should read.
      site = createServer(({ url }, response) => {
        response.setHeader('Content-Type', url === '/secret' ? 'text/plain' : 'text/html')
        response.end(
          url === '/secret'
            ? SECRET
            : `${HTML}<form method="post" action="${api}/checkout/test/${checkout}"><input name="action" value="pay"><button>Play</button></form>`,
        )
      }).listen(0, '127.0.0.1')
      await once(site, 'listening')
      browser = await start()
    })
    after(async () => {
      await browser?.close()
      site?.close()
      await service.stop()
    })

    async function openPage(url: string): Promise<AnyPage> {
      const page = await browser.newPage()
      await page.open(url)
      return page
    }
    const secretUrl = () => `http://localhost:${portOf(site)}/secret`
    const isUntouched = async () => {
      const { developers } = await service.signUp.list()
      const codes = await service.db.search((q) => q.selectFrom('developers_device_codes').select('address'))
      const [bought] = await service.db.search((q) => q.selectFrom('money_checkouts').select('status'))
      return developers.length === 1 && codes.length === 0 && bought?.status === 'open'
    }

    test('[DEV-20] a page of another port, and a hosted app of the same service, get nothing at any step', async () => {
      for (const url of [`http://127.0.0.1:${portOf(site)}/`, app]) {
        const page = await openPage(url)
        assert.deepEqual(
          JSON.parse(String(await page.read(attempts(api, secretUrl(), checkout)))),
          NOTHING,
          url,
        )
        await page.close()
        assert.ok(await isUntouched(), url)
      }
    })

    test('[DEV-20] a form that a page sends to the test checkout pays nothing', async () => {
      const page = await openPage(`http://127.0.0.1:${portOf(site)}/`)
      await page.press('button')
      await page.until(`location.origin === ${JSON.stringify(api)} && document.readyState === 'complete'`)
      await page.close()
      assert.ok(await isUntouched())
    })

    if (name === 'Chromium')
      test('[DEV-21] a page whose name points to this machine is not even shown', async () => {
        const page = await openPage(`http://evil.test:${port}/dashboard`)
        await page.until(`document.body.innerText.includes('host_not_allowed')`)
        const got = JSON.parse(String(await page.read(attempts('', '/v1/platform/info', checkout))))
        await page.close()
        for (const answer of Object.values(got)) assert.equal(answer, '403 host_not_allowed')
        assert.ok(await isUntouched())
      })

    test('[DEV-20] the own pages of the service work', async () => {
      const page = await openPage(`${api}/docs`)
      const got = JSON.parse(String(await page.read(attempts(api, `${api}/healthz`, 'unknown'))))
      await page.close()
      assert.match(got.signUp, /^got /)
      assert.deepEqual(
        [got.information, got.logIn, got.deviceCode],
        ['200 ', '401 invalid_credentials', '201 '],
      )
    })
  })
