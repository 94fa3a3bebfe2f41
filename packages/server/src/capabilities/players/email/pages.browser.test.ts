import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../../testing/browser.ts'
import { emailCalls, newEmailProject } from '../../../testing/email-players.ts'
import { startReachableService } from '../../../testing/reachable-service.ts'
import type { Service } from '../../../testing/service.ts'

describe('the built-in pages for players in a real browser', () => {
  let service: Service
  let browser: Browser
  let project: Awaited<ReturnType<typeof newEmailProject>>
  let calls: ReturnType<typeof emailCalls>
  before(async () => {
    service = await startReachableService()
    project = await newEmailProject(service, {}, 'Star Duel')
    calls = emailCalls(project.development)
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await service.stop()
  })

  const until = (page: Page, condition: string) => page.until(condition)

  /** The link of the newest mail, from the mailbox for developers. */
  async function mailedLink(): Promise<string> {
    await service.background.drained()
    const { body } = await project.development.server('GET', '/v1/dev/outbox?limit=1')
    return /http:\S+#svc_token=\S+/.exec(body.mails[0].text)?.[0] ?? ''
  }

  for (const screen of [
    { name: 'a phone', width: 390, height: 844, dark: false },
    { name: 'a desktop in dark mode', width: 1280, height: 800, dark: true },
  ]) {
    test(`[AUT-22] [AUT-23] on ${screen.name}: sign up, open the mailed link, click the button, the email is confirmed`, async () => {
      const email = `verify-${screen.width}@example.com`
      const player = await calls.player(email)
      const page = await browser.newPage(screen)
      await page.open(await mailedLink())
      await until(page, `document.querySelector('form').checkVisibility()`)
      assert.match(await page.text(), /^Star Duel\s+Confirm your email address/)
      assert.equal(await page.read(`document.getElementById('paste').checkVisibility()`), false)

      await page.loading(() => page.press('button'))
      assert.match(await page.text(), /Confirmed/)
      assert.equal(await page.read('location.hash'), '')
      assert.equal((await player.call('GET', '/v1/players/me')).body.player.emailVerified, true)
      await page.close()
    })

    test(`[AUT-17] [AUT-22] on ${screen.name}: request a reset, open the mailed link, set a new password, log in`, async () => {
      const email = `reset-${screen.width}@example.com`
      const player = await calls.player(email)
      await calls.forgot(email)
      const page = await browser.newPage(screen)
      await page.open(await mailedLink())
      await until(page, `document.activeElement.id === 'password'`)
      await page.type('#password', 'battery staple')
      await page.loading(() => page.press('button'))

      assert.match(await page.text(), /Saved/)
      assert.equal((await calls.logIn(email, 'battery staple')).body.player.id, player.id)
      assert.equal((await calls.refresh(player.refreshToken)).status, 401)
      await page.close()
    })
  }

  test('[AUT-22] without scripts the link can be pasted', async () => {
    const player = await calls.player('no-scripts@example.com')
    const link = await mailedLink()
    const page = await browser.newPage({ scripts: false })
    await page.open(link)
    await page.type('#token', link)
    await page.loading(() => page.press('button'))

    assert.match(await page.text(), /Confirmed/)
    assert.equal((await player.call('GET', '/v1/players/me')).body.player.emailVerified, true)
    await page.close()
  })

  test('[AUT-22] a used link shows that instead of the form, in the language of the browser', async () => {
    await calls.player('used@example.com')
    const link = await mailedLink()
    const page = await browser.newPage({ language: 'de' })
    await page.open(link)
    await until(page, `document.querySelector('form').checkVisibility()`)
    await page.loading(() => page.press('button'))
    assert.match(await page.text(), /Bestätigt/)

    await page.open('about:blank')
    await page.open(link)
    await until(page, `!document.querySelector('form')`)
    assert.match(await page.text(), /^Star Duel\s+Dieser Link funktioniert nicht mehr/)
    assert.equal(await page.read('document.title'), 'Dieser Link funktioniert nicht mehr')
    await page.close()
  })

  test('[AUT-22] an expired reset link shows that before a password is typed', async () => {
    await calls.player('expired@example.com')
    await calls.forgot('expired@example.com')
    const link = await mailedLink()
    service.clock.advance(30 * 60_000)
    const page = await browser.newPage()
    await page.open(link)
    await until(page, `!document.querySelector('form')`)
    assert.match(await page.text(), /This link no longer works/)
    await page.close()
  })

  test('[AUT-22] if the check fails, the form is shown', async () => {
    await calls.player('no-check@example.com')
    const page = await browser.newPage()
    await page.page.addInitScript(`globalThis.fetch = () => Promise.reject(new TypeError('no network'))`)
    await page.open(await mailedLink())
    await until(page, `document.querySelector('form').checkVisibility()`)
    await page.loading(() => page.press('button'))
    assert.match(await page.text(), /Confirmed/)
    await page.close()
  })
})
