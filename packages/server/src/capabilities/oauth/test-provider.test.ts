import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { MINUTE_MS } from '../../platform/clock.ts'
import { type Browser, startBrowser } from '../../testing/browser.ts'
import { close, listen } from '../../testing/oidc-provider.ts'
import { CONFIG, newPkce, RETURN_URL } from '../../testing/player-sign-in.ts'
import { type Call, engines, startService } from '../../testing/service.ts'

const PROVIDERS = ['google', 'discord', 'apple', 'x'] as const
const PATH = '/.test-provider/authorize'

type Service = Awaited<ReturnType<typeof startService>>

/** A development environment that uses the test provider for all four providers. */
async function newApp(service: Service) {
  const app = await service.newProject()
  await app.development.server('PUT', '/v1/config', CONFIG)
  for (const provider of PROVIDERS) {
    const path = `${app.development.path}/auth/providers/${provider}`
    const { status } = await app.developer.call('PUT', path, { testProvider: true })
    assert.equal(status, 200)
  }
  return app
}

for (const engine of engines) {
  describe(`the built-in test provider (${engine})`, () => {
    let service: Service
    let app: Awaited<ReturnType<typeof newApp>>
    before(async () => {
      service = await startService(engine)
      app = await newApp(service)
    })
    after(() => service.stop())

    const start = async (provider: string, more: object = {}, call: Call = app.development.public) => {
      const { verifier, challenge } = newPkce()
      const body = { redirectUrl: RETURN_URL, challenge, ...more }
      const started = await call('POST', `/v1/auth/oauth/${provider}/start`, body)
      assert.equal(started.status, 200)
      return { verifier, asked: Object.fromEntries(new URL(started.body.url).searchParams) }
    }
    const post = async (fields: Record<string, string>) => {
      const response = await service.http.inject({
        method: 'POST',
        url: PATH,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(fields).toString(),
      })
      return { status: response.statusCode, location: response.headers.location ?? '', body: response.body }
    }
    const show = (asked: Record<string, string>) =>
      service.call('GET', `${PATH}?${new URLSearchParams(asked).toString()}`)
    const follow = async (location: string) => {
      const { pathname, search } = new URL(location)
      const { headers } = await service.call('GET', pathname + search)
      return Object.fromEntries(new URLSearchParams(headers['location']?.split('#')[1]))
    }
    const signIn = async (provider: string, choice: Record<string, string>) => {
      const { verifier, asked } = await start(provider)
      const said = await follow((await post({ ...asked, ...choice })).location)
      return app.development.public('POST', '/v1/auth/oauth/exchange', {
        code: said['svc_code'] ?? '',
        verifier,
      })
    }

    test('[OAU-18] works in place of each provider: after picking an account the player is signed in', async () => {
      const ids = new Set<string>()
      for (const provider of PROVIDERS) {
        const { status, body } = await signIn(provider, { account: 'Ada' })
        assert.equal(status, 200)
        assert.equal(body.player.displayName, 'Ada')
        assert.equal(body.player.identities[0].provider, provider)
        assert.equal((await signIn(provider, { account: 'Ada' })).body.player.id, body.player.id)
        ids.add(body.player.id)
      }
      assert.equal(ids.size, PROVIDERS.length)
    })

    test('[OAU-18] any name can be typed; the same name gives the same account', async () => {
      const first = await signIn('google', { name: ' Zoë the 1st ' })
      assert.equal(first.body.player.displayName, 'Zoë the 1st')
      assert.equal((await signIn('google', { name: 'ZOË THE 1ST' })).body.player.id, first.body.player.id)
      const { asked } = await start('google')
      const empty = await post({ ...asked, name: ' \u0000 ' })
      assert.deepEqual([empty.status, empty.location], [200, ''])
    })

    test('[OAU-18] cancelling returns access_denied', async () => {
      const { asked } = await start('google')
      const [, link = ''] = /<a href="([^"]+)">Cancel/.exec((await show(asked)).body) ?? []
      const address = link.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
      assert.deepEqual(await follow(address), { svc_error: 'access_denied' })
    })

    test('[OAU-18] the page describes itself, runs no script and loads nothing', async () => {
      const { asked } = await start('google')
      const { status, body, headers } = await show({ ...asked, state: '"><script>alert(1)</script>' })
      assert.equal(status, 200)
      assert.match(body, /This is not Google/)
      assert.equal(body.includes('<script'), false)
      assert.match(headers['content-security-policy'] ?? '', /script-src 'none'/)
      assert.equal(headers['cache-control'], 'no-store')
    })

    test('[OAU-18] it works only for environments that stored it; all other requests answer 404', async () => {
      const { asked } = await start('google')
      const foreign = { ...asked, client_id: asked['client_id']?.replace(/^env_[^.]*/, 'env_unknown') ?? '' }
      const wrong = [
        {},
        foreign,
        { ...asked, client_id: asked['client_id']?.replace('google', 'github') ?? '' },
        { ...asked, redirect_uri: 'https://evil.example/' },
        { ...asked, response_type: 'token' },
        { ...asked, code_challenge: '' },
        { ...asked, code_challenge_method: 'plain' },
      ]
      for (const parameters of wrong) {
        assert.equal((await show(parameters)).status, 404)
        const posted = await post({ ...parameters, account: 'Ada' })
        assert.deepEqual([posted.status, posted.location], [404, ''])
      }

      // In a URL this character is always rejected.
      const unstorable = { ...asked, client_id: asked['client_id']?.replace('.', '\0.') ?? '' }
      assert.equal((await post({ ...unstorable, account: 'Ada' })).status, 404)

      const other = await newApp(service)
      const begun = await start('x', {}, other.development.public)
      await other.developer.call('DELETE', `${other.development.path}/auth/providers/x`)
      assert.equal((await show(begun.asked)).status, 404)
    })

    test('[OAU-18] its code is valid for one minute, for this client and this sign-in only', async () => {
      const { asked } = await start('google')
      const { location } = await post({ ...asked, account: 'Ada' })
      const code = new URL(location).searchParams.get('code') ?? ''
      const into = async (provider: string, input: string) => {
        const another = await start(provider)
        const query = new URLSearchParams({ state: another.asked['state'] ?? '', code: input })
        return follow(`http://localhost:8787/v1/auth/oauth/${provider}/callback?${query.toString()}`)
      }
      for (const provider of PROVIDERS) {
        assert.deepEqual(await into(provider, code), { svc_error: 'provider_error' })
      }
      assert.deepEqual(await into('google', 'made-up'), { svc_error: 'provider_error' })

      service.clock.advance(MINUTE_MS)
      assert.deepEqual(await follow(location), { svc_error: 'provider_error' })
    })

    const onTwoNodes = engine === 'postgres' ? test : () => {}
    void onTwoNodes('[OAU-18] a second node accepts its codes', async () => {
      const second = await startService(engine, { clusterOf: service })
      const { verifier, asked } = await start('google')
      const { location } = await post({ ...asked, account: 'Kofi' })
      const { pathname, search } = new URL(location)
      const { headers } = await second.call('GET', pathname + search)
      const code = new URLSearchParams(headers['location']?.split('#')[1]).get('svc_code') ?? ''
      const exchanged = await second.withKey(app.development.publishableKey)(
        'POST',
        '/v1/auth/oauth/exchange',
        { code, verifier },
      )
      assert.equal(exchanged.body.player.displayName, 'Kofi')
      await second.stop()
    })

    test('[OAU-13] [OAU-18] it has no native dialog: native sign-in answers 409 provider_not_configured', async () => {
      const { body } = await app.development.public('POST', '/v1/auth/guest', {})
      const answer = await app.development.public(
        'POST',
        '/v1/auth/oauth/google/native',
        { idToken: 'token', nonce: 'n', platform: 'web' },
        { authorization: `Bearer ${body.accessToken}` },
      )
      assert.deepEqual([answer.status, answer.body.error.code], [409, 'provider_not_configured'])
    })
  })
}

describe('a complete sign-in in a real browser', () => {
  let service: Service
  let browser: Browser
  let game: Awaited<ReturnType<typeof listen>>
  let key = ''
  let baseUrl = ''

  before(async () => {
    const port = await freePort()
    baseUrl = `http://localhost:${port}`
    service = await startService('sqlite', { settings: { PORT: String(port), SVC_BASE_URL: baseUrl } })
    await service.http.listen({ port, host: '127.0.0.1' })
    const app = await newApp(service)
    key = app.development.publishableKey
    game = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(gamePage(baseUrl, key))
    })
    browser = await startBrowser()
  })
  after(async () => {
    await browser.close()
    await close(game.server)
    await service.stop()
  })

  test('[OAU-04] [OAU-07] [OAU-09] [OAU-18] a game page, the test provider, and back as a player', async () => {
    const page = await browser.newPage()
    await page.open(game.origin)
    await page.loading(() => page.press('#sign-in'))
    assert.match(await page.text(), /This is not Google/)

    await page.loading(() => page.press('button[value="Chiyo"]'))
    assert.equal(await page.read('window.done'), 'Chiyo')
    assert.equal(await page.read('location.origin'), game.origin)
    await page.close()
  })

  test('[OAU-05] in a popup the opener receives the result, and the popup closes', async () => {
    const page = await browser.newPage()
    await page.open(game.origin)
    await page.press('#popup')
    assert.equal(await page.read('window.finished'), 'Sam')
    assert.equal(await page.read('window.popup.closed'), true)
    await page.close()
  })

  test('[OAU-18] it works without JavaScript', async () => {
    const page = await browser.newPage({ scripts: false })
    const { challenge } = newPkce()
    const query = new URLSearchParams({ key, redirectUrl: `${game.origin}/`, challenge })
    await page.open(`${baseUrl}/v1/auth/oauth/x/start?${query.toString()}`)
    await page.loading(() => page.press('button[value="Ada"]'))
    assert.match(String(await page.read('location.hash')), /^#svc_code=[\w-]{43}$/)
    await page.close()
  })
})

/** An app: starts the sign-in, handles the redirect, exchanges the code. */
const gamePage = (baseUrl: string, key: string) => `<!doctype html><title>Game</title>
<button id="sign-in">Sign in</button><button id="popup">Sign in with a popup</button>
<script>
const call = async (path, body) => (await fetch('${baseUrl}' + path, { method: 'POST', headers: { 'X-Svc-Key': '${key}', 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json()
const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
async function begin(mode) {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const challenge = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
  sessionStorage.setItem('verifier', verifier)
  return (await call('/v1/auth/oauth/google/start', { redirectUrl: location.origin + '/', challenge, mode })).url
}
async function end(fragment) {
  const code = new URLSearchParams(fragment.slice(1)).get('svc_code')
  const { player, error } = await call('/v1/auth/oauth/exchange', { code, verifier: sessionStorage.getItem('verifier') })
  return error ? error.code : player.displayName
}
document.getElementById('sign-in').onclick = async () => { location.href = await begin('redirect') }
window.finished = new Promise((resolve) => {
  addEventListener('message', async ({ data, origin }) => {
    if (origin !== '${baseUrl}') return
    while (!window.popup.closed) await new Promise((tick) => setTimeout(tick, 10))
    resolve(await end(data))
  })
})
document.getElementById('popup').onclick = async () => {
  window.popup = open('about:blank')
  // Submits the form of the test provider's page, because the DevTools connection of this test sees only one window.
  const url = new URL(await begin('popup')), form = popup.document.createElement('form')
  form.method = 'post'
  form.action = url.origin + url.pathname
  for (const [name, value] of [...url.searchParams, ['account', 'Sam']]) {
    form.append(Object.assign(popup.document.createElement('input'), { name, value }))
  }
  popup.document.body.append(form)
  form.submit()
}
if (location.hash) window.done = end(location.hash)
</script>`

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
