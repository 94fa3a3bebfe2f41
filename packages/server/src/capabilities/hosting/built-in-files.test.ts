import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { emailCalls, newEmailProject } from '../../testing/email-players.ts'
import { deploy, newApp, browserFor } from '../../testing/hosted-apps.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

for (const engine of engines) {
  describe(`built-in paths of hosted apps on ${engine}`, () => {
    let service: Service
    let visit: Awaited<ReturnType<typeof browserFor>>
    before(async () => {
      service = await startService(engine)
      visit = await browserFor(service)
    })
    after(() => service.stop())

    test('[HST-12] /.svc/init.json contains the key of the app, and its own origin as the URL of the API', async () => {
      const project = await newApp(service)
      const { slug, development } = project
      await development.server('PUT', '/v1/config', {
        features: { hosting: true, saves: true },
        auth: { providers: { google: { enabled: true } } },
      })
      await deploy(service, development, { 'index.html': 'home' })
      const { status, headers, text } = await visit(`${slug}--dev`, '/.svc/init.json')
      assert.deepEqual(
        [status, headers['cache-control'], headers['access-control-allow-origin']],
        [200, 'no-cache', '*'],
      )
      const { key, features, ...rest } = JSON.parse(text)
      assert.deepEqual(rest, {
        apiUrl: `http://${slug}--dev.localhost:8787/.svc`,
        realtimeUrl: `ws://${slug}--dev.localhost:8787/.svc/v1/realtime`,
        environment: 'development',
        slug,
        version: 1,
        keepsSession: true,
        providers: ['google'],
      })
      assert.deepEqual([features.saves, features.hosting, features.stats], [true, true, false])
      assert.match(key, /^pk_dev_/)
      const guest = await service.withKey(key)(
        'POST',
        '/v1/auth/guest',
        {},
        { origin: `http://${slug}--dev.localhost:8787` },
      )
      assert.equal(guest.status, 200)

      const again = await visit(`${slug}--dev`, '/.svc/init.json', {
        headers: { 'if-none-match': headers['etag'] ?? '' },
      })
      assert.equal(again.status, 304)
    })

    test('[GEN-30] the hosted origin may call even if web.allowedOrigins does not list it', async () => {
      const { slug, production } = await newApp(service)
      await production.server('PUT', '/v1/config', {
        features: { hosting: true },
        web: { allowedOrigins: ['https://elsewhere.example'] },
      })
      await deploy(service, production, { 'index.html': 'home' })
      const { key } = JSON.parse((await visit(slug, '/.svc/init.json')).text)
      const call = (origin: string) => service.withKey(key)('POST', '/v1/auth/guest', {}, { origin })
      assert.equal((await call(`http://${slug}.localhost:8787`)).status, 200)
      assert.equal((await call(`http://other.localhost:8787`)).body.error.code, 'origin_not_allowed')
    })

    test('the key of the app is listed, is the same for all visitors, and is replaced after it is revoked', async () => {
      const { id, slug, development, developer } = await newApp(service)
      await deploy(service, development, { 'index.html': 'home' })
      const keyNow = async () =>
        JSON.parse((await visit(`${slug}--dev`, '/.svc/init.json')).text).key as string
      const [first, ...others] = await Promise.all(Array.from({ length: 10 }, keyNow))
      assert.deepEqual(new Set(others), new Set([first]))

      const listed = async () =>
        (await developer.call('GET', `${development.path}/keys`)).body.keys.filter(
          ({ label }: { label: string }) => label === 'hosting',
        )
      const [key, ...more] = await listed()
      assert.deepEqual([key.type, key.last4, more.length], ['publishable', first?.slice(-4), 0])

      await developer.call('DELETE', `/v1/projects/${id}/keys/${key.id}`)
      const second = await keyNow()
      assert.notEqual(second, first)
      assert.equal((await service.withKey(second)('POST', '/v1/auth/guest', {})).status, 200)
      assert.equal(
        (await service.withKey(first ?? '')('POST', '/v1/auth/guest', {})).body.error.code,
        'invalid_key',
      )
      assert.equal((await listed()).length, 1)
    })

    test('[HST-09] /.auth, /.svc and /.card belong to the service, also in a single-page app', async () => {
      const { slug, development } = await newApp(service)
      await deploy(service, development, { 'index.html': 'home' })
      for (const path of ['/.card.png', '/.card/abc.png', '/.cards', '/.svc/other', '/.svc/'])
        assert.deepEqual([(await visit(`${slug}--dev`, path)).status, path], [404, path])
      for (const path of ['/.card.png', '/.svc/init.json']) {
        const { status } = await visit(`${slug}--dev`, path, { method: 'POST' })
        assert.equal(status, 405)
      }
    })

    test('[AUT-22] [HST-09] mailed links use the domain of the app while it is live, and work on both domains', async () => {
      const project = await newEmailProject(
        service,
        { features: { emailLogin: true, hosting: true } },
        'Star Duel',
      )
      const { development, slug } = project
      const calls = emailCalls(development)
      const mailed = async (email: string) => {
        await calls.player(email)
        await service.background.drained()
        const [mail] = await service.mailsTo(email)
        return new URL(/http:\S+#svc_token=\S+/.exec(mail?.text ?? '')?.[0] ?? '')
      }
      assert.equal((await mailed(`before-${engine}@example.com`)).host, 'localhost:8787')
      await deploy(service, development, { 'index.html': 'home' })
      const link = await mailed(`after-${engine}@example.com`)
      assert.deepEqual([link.host, link.pathname], [`${slug}--dev.localhost:8787`, '/.auth/verify'])

      const page = await visit(`${slug}--dev`, link.pathname + link.search)
      assert.equal(page.status, 200)
      assert.match(page.text, /Star Duel/)
      const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
      const token = /svc_token=([^&]+)/.exec(link.hash)?.[1]
      const done = await visit(`${slug}--dev`, '/.auth/verify', { ...form, body: `token=${token}` })
      assert.deepEqual([done.status, /Confirmed/.test(done.text)], [200, true])
    })

    test('on the host of an app, a page serves only the environment of that app', async () => {
      const mine = await newApp(service, `Mine ${engine}`)
      const yours = await newApp(service, `Yours ${engine}`)
      const foreign = yours.environments.find(({ name }) => name === 'development')?.id
      const { text } = await visit(`${mine.slug}--dev`, `/.auth/verify?env=${foreign}&env=x`)
      assert.match(text, /Mine/)
      assert.doesNotMatch(text, /Yours/)
    })

    test('an operator suspends an app and resumes it; both are in the audit log', async () => {
      const { id, slug, development, developer } = await newApp(service)
      await deploy(service, development, { 'index.html': 'home' })
      assert.equal(await service.hosting.suspend(slug, true), true)
      const { status, text } = await visit(`${slug}--dev`, '/')
      assert.deepEqual([status, /suspended/.test(text)], [404, true])
      assert.equal((await visit(`${slug}--dev`, '/.svc/init.json')).status, 404)

      await service.hosting.suspend(slug, false)
      assert.equal((await visit(`${slug}--dev`, '/')).text, 'home')
      assert.equal(await service.hosting.suspend('nobody', true), false)
      const { body } = await developer.call('GET', `/v1/projects/${id}/audit`)
      assert.deepEqual(
        body.entries.slice(0, 2).map(({ action }: { action: string }) => action),
        ['hosting.resume', 'hosting.suspend'],
      )
    })
  })
}
