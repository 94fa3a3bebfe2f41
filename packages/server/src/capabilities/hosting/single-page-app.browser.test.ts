import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type Browser, startBrowser } from '../../testing/browser.ts'
import { deploy, type Files, newApp } from '../../testing/hosted-apps.ts'
import { startReachableService } from '../../testing/reachable-service.ts'

/**
 * The output of Vite for a small app with two routes: names with hashes, a chunk that is loaded later, assets with absolute URLs.
 */
const BUILD: Files = {
  'index.html': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Harbour</title>
<link rel="icon" href="data:,"><script type="module" crossorigin src="/assets/index-BxY3_a1Q.js"></script>
<link rel="stylesheet" crossorigin href="/assets/index-n_ryQ3BS.css"></head><body><div id="app"></div></body></html>`,
  'assets/index-BxY3_a1Q.js': `
const app = document.getElementById('app')
async function show() {
  const { page } = await import('./page-K1-2xY_Z.js')
  app.innerHTML = page(location.pathname)
  document.body.dataset.shown = location.pathname
}
addEventListener('click', (event) => {
  const link = event.target.closest('a')
  if (!link) return
  event.preventDefault()
  history.pushState({}, '', link.href)
  show()
})
addEventListener('popstate', show)
show()
`,
  'assets/page-K1-2xY_Z.js': `
import anchor from './anchor-C38fXH4l.js'
export const page = (path) => '<main><img src="' + anchor + '" width="96" alt="an anchor"><h1>Harbour</h1><p>You are at <b>' +
  path + '</b></p><a id="ships" href="/ships/42">Ship 42</a></main>'
`,
  'assets/anchor-C38fXH4l.js': `export default '/assets/anchor-D7_Qm2kV.svg'`,
  'assets/anchor-D7_Qm2kV.svg': `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="none" stroke="#ffcc33" stroke-width="2" d="M12 6v16M5 12H2a10 10 0 0 0 20 0h-3M12 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4"/></svg>`,
  'assets/index-n_ryQ3BS.css': `body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: #0f1b2b; color: #e8eef6; font: 20px system-ui }
main { text-align: center } a { color: #ffcc33 }`,
}
const LOST = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Lost at sea</title>
<link rel="stylesheet" href="/assets/index-n_ryQ3BS.css"><main><h1>Lost at sea</h1><p>There is no such harbour.</p><a href="/">Back</a></main></html>`

describe('a single-page app in a real browser', () => {
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

  const shown = (path: string) => `new Promise((done) => {
    const look = () => (document.body.dataset.shown === ${JSON.stringify(path)} ? done() : requestAnimationFrame(look))
    look()
  })`
  const status = (path: string) =>
    `fetch(${JSON.stringify(path)}).then(async (answer) => [answer.status, answer.headers.get('cache-control'), (await answer.text()).length > 0])`

  test('[HST-08] it starts at any of its paths, navigates without the server, and can be reloaded', async () => {
    const { development } = await newApp(service)
    const { url } = await deploy(service, development, BUILD)
    const page = await browser.newPage({ width: 800, height: 500 })
    await page.open(`${url}/quay/north`)
    await page.read(shown('/quay/north'))
    assert.match(await page.text(), /Harbour\s+You are at \/quay\/north/)
    assert.equal(await page.read('getComputedStyle(document.body).backgroundColor'), 'rgb(15, 27, 43)')
    assert.equal(
      await page.read('document.images[0].decode().then(() => document.images[0].naturalWidth > 0)'),
      true,
    )

    await page.press('#ships')
    await page.read(shown('/ships/42'))
    await page.page.reload()
    await page.read(shown('/ships/42'))
    assert.match(await page.text(), /You are at \/ships\/42/)
    assert.deepEqual(await page.read(status('/assets/gone-BxY3_a1Q.js')), [404, 'no-store', true])
    assert.deepEqual(await page.read(status('/assets/index-BxY3_a1Q.js')), [
      200,
      'public, max-age=31536000, immutable',
      true,
    ])
    await page.close()
  })

  test('[HST-08] with a 404.html, an unknown path shows it with the style of the app', async () => {
    const { development } = await newApp(service)
    const { url } = await deploy(service, development, { ...BUILD, '404.html': LOST })
    const page = await browser.newPage({ width: 800, height: 500 })
    await page.open(`${url}/quay/north`)
    assert.match(await page.text(), /Lost at sea\s+There is no such harbour/)
    assert.equal(await page.read('getComputedStyle(document.body).backgroundColor'), 'rgb(15, 27, 43)')
    assert.deepEqual(await page.read(status('/quay/north')), [404, 'no-cache', true])
    assert.deepEqual(await page.read(status('/')), [200, 'no-cache', true])
    await page.close()
  })
})
