import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'

import { type Browser, startBrowser } from '../../testing/browser.ts'
import { newKey } from '../../testing/money.ts'
import { type Service, startService } from '../../testing/service.ts'

describe('the test checkout in a real browser', () => {
  let service: Service
  let browser: Browser
  let origin: string
  before(async () => {
    service = await startService('sqlite')
    await service.http.listen({ host: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${(service.http.server.address() as AddressInfo).port}`
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await service.stop()
  })

  for (const { dark, width, scripts, button, ends, status } of [
    { dark: false, width: 390, scripts: true, button: 'pay', ends: 'done', status: 'paid' },
    { dark: true, width: 1280, scripts: false, button: 'cancel', ends: 'cancelled', status: 'cancelled' },
  ]) {
    test(`[MON-04] the page says that no money is charged; ${button} leads to its return URL`, async () => {
      const ada = await service.newDeveloper()
      const urls = { successUrl: `${origin}/checkout/done`, cancelUrl: `${origin}/checkout/cancelled` }
      const { body } = await ada.call(
        'POST',
        '/v1/money/prepaid/checkout',
        { amount: 2_345, ...urls },
        newKey(),
      )
      const page = await browser.newPage({ dark, width, scripts })
      await page.open(`${origin}/checkout/test/${body.id}`)
      assert.match(await page.text(), /No money moves\.[^]*\$23\.45/)
      const boxes = await Promise.all(
        (await page.page.locator('button').all()).map((one) => one.boundingBox()),
      )
      assert.equal(new Set(boxes.map((box) => box?.width)).size, 1, 'both buttons have the same width')
      await page.loading(() => page.press(`button[value=${button}]`))
      assert.equal(page.page.url(), `${origin}/checkout/${ends}`)
      assert.deepEqual(page.problems(), [])
      const { body: after } = await ada.call('GET', `/v1/money/prepaid/checkouts/${body.id}`)
      assert.equal(after.status, status)
      await page.open(`${origin}/checkout/test/${body.id}`)
      assert.doesNotMatch(await page.text(), /Simulate/)
      await page.close()
    })
  }
})
