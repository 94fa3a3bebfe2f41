import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type Browser, startBrowser } from '../../testing/browser.ts'
import { deploy, newApp } from '../../testing/hosted-apps.ts'
import { startReachableService } from '../../testing/reachable-service.ts'

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="stylesheet" href="style.css"><title>Star Duel</title>
<h1>Star Duel</h1><p id="who">…</p><img src="star.svg" width="80" alt="a star"><script type="module" src="/app.js"></script></html>`
/** Like the SDK: reads the URL of the service, then calls the API from this origin. */
const SCRIPT = `
const init = await (await fetch('/.svc/init.json')).json()
const answer = await fetch(init.apiUrl + '/v1/auth/guest', {
  method: 'POST', headers: { 'X-Svc-Key': init.key, 'Content-Type': 'application/json' }, body: '{"displayName":"Ada"}',
})
const { player } = await answer.json()
document.getElementById('who').textContent = player.displayName + ' in ' + init.environment + ', version ' + init.version
document.body.dataset.done = '1'
`
const STAR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="gold" d="m12 1 3 8h8l-6.500 5 2.500 8-7-5-7 5 2.500-8L1 9h8z"/></svg>`

describe('a hosted app in a real browser', () => {
  let service: Awaited<ReturnType<typeof startReachableService>>
  let browser: Browser
  before(async () => {
    service = await startReachableService()
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await service.stop()
  })

  test('[HST-08] it loads its style, image and script, finds its key and signs a player in; scripts cannot read the cookie', async () => {
    const { development, slug } = await newApp(service, 'Star Duel')
    const { url } = await deploy(service, development, {
      'index.html': PAGE,
      'style.css': 'body { font: 20px system-ui; text-align: center; background: #0f1115; color: #fff }',
      'app.js': SCRIPT,
      'star.svg': STAR,
    })
    assert.equal(url, `http://${slug}--dev.localhost:${service.port}`)
    const page = await browser.newPage({ width: 800, height: 500 })
    await page.open(`${url}/`)
    await page.read(`new Promise((done) => {
      const look = () => (document.body.dataset.done ? done() : requestAnimationFrame(look))
      look()
    })`)
    assert.match(await page.text(), /Star Duel\s+Ada in development, version 1/)
    assert.equal(await page.read('getComputedStyle(document.body).color'), 'rgb(255, 255, 255)')
    assert.equal(await page.read('document.images[0].naturalWidth > 0'), true)
    assert.equal(await page.read('document.cookie'), '')
    await page.close()
  })

  test('[HST-08] a page that is open during an activation loads its files from its own version; a reload shows the new one', async () => {
    const { development } = await newApp(service)
    const site = (mark: string) => ({
      'index.html': `<!doctype html><title>${mark}</title><link rel="icon" href="data:,"><script src="first.js"></script>`,
      'first.js': `document.title += ' first ${mark}'`,
      'later.js': `document.title += ' later ${mark}'`,
      'data.json': JSON.stringify({ mark }),
    })
    const { url } = await deploy(service, development, site('one'))
    const page = await browser.newPage()
    await page.open(`${url}/`)
    await deploy(service, development, site('two'))
    const loadMore = `new Promise((done) => {
      const script = Object.assign(document.createElement('script'), { src: 'later.js', onload: done })
      document.head.append(script)
    }).then(() => fetch('data.json')).then((answer) => answer.json()).then(({ mark }) => document.title + ' data ' + mark)`
    assert.equal(await page.read(loadMore), 'one first one later one data one')

    await page.open(`${url}/`)
    assert.equal(await page.read(loadMore), 'two first two later two data two')
    const cookies = await page.page.context().cookies(url)
    const kept = cookies.map(({ name, value, httpOnly, sameSite }) => ({ name, value, httpOnly, sameSite }))
    assert.deepEqual(kept, [{ name: '__svc-version', value: '2', httpOnly: true, sameSite: 'Lax' }])
    await page.close()
  })
})
