import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { type Browser, startBrowser } from '../../testing/browser.ts'
import { newEmailProject } from '../../testing/email-players.ts'
import { newsLinksTo, newUnconfirmedSubscriber } from '../../testing/news.ts'
import { type Service, startService } from '../../testing/service.ts'

describe('the pages of news mails in a real browser', () => {
  let service: Service
  let browser: Browser
  let origin: string
  let project: Awaited<ReturnType<typeof newEmailProject>>
  before(async () => {
    service = await startService('sqlite')
    await service.http.listen({ host: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${(service.http.server.address() as AddressInfo).port}`
    project = await newEmailProject(service)
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await service.stop()
  })

  const here = (url: string, token: string) => `${url.replace(/^https?:\/\/[^/]+/, origin)}#token=${token}`

  test('[NWS-01] the link opens a page, its button confirms, and the other link ends it', async () => {
    const email = 'browser@example.com'
    const ada = await newUnconfirmedSubscriber(project.development, email, { language: 'de' })
    const status = async () => (await ada.call('GET', '/v1/players/me/export')).body.news.status
    const links = await newsLinksTo(service, email)

    for (const [url, token, title, done, becomes] of [
      [links.confirmUrl, links.confirm, 'Neuigkeiten von svc?', /Du bekommst Neuigkeiten/, 'confirmed'],
      [
        links.unsubscribeUrl,
        links.unsubscribe,
        'Keine Neuigkeiten mehr?',
        /keine Neuigkeiten/,
        'unsubscribed',
      ],
    ] as const) {
      const before = await status()
      const page = await browser.newPage()
      await page.open(here(url, token))
      assert.equal(await page.read('document.title'), title)
      assert.equal(await page.read(`document.getElementById('paste').checkVisibility()`), false)
      assert.equal(await status(), before, 'opening it changes nothing')
      await page.loading(() => page.press('button'))
      assert.match(await page.text(), done)
      assert.equal(await status(), becomes)
      await page.close()
    }
  })

  test('without scripts the link can be pasted; the page fits phones and desktops, light and dark', async () => {
    const email = 'noscript@example.com'
    const bob = await newUnconfirmedSubscriber(project.development, email)
    const { confirmUrl, confirm } = await newsLinksTo(service, email)
    for (const look of [{ width: 320 }, { width: 1_280, height: 800, dark: true }]) {
      const page = await browser.newPage({ ...look, scripts: false })
      await page.open(here(confirmUrl, confirm))
      assert.equal(await page.read('document.documentElement.scrollWidth <= innerWidth'), true)
      await page.type('#token', here(confirmUrl, confirm))
      await page.loading(() => page.press('button'))
      assert.match(await page.text(), /You are subscribed/)
      await page.close()
    }
    assert.equal((await bob.call('GET', '/v1/players/me/export')).body.news.status, 'confirmed')
  })
})
