import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'

import { type Browser, startBrowser } from '../../server/src/testing/browser.ts'
import { type TestSetup, startTestSetup } from './cli.ts'
import { HAS_RESULT, IS_PLAYING, openGame } from './star-duel.ts'

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const CRAWLER = { 'user-agent': 'Twitterbot/1.0', 'accept-language': 'en' }

let setup: TestSetup
let browser: Browser
let folder: string
let address: string
before(async () => {
  setup = await startTestSetup()
  browser = await startBrowser()
  await setup.json(['new', 'star-duel', '--template', 'duel', '--no-install'])
  folder = join(setup.root, 'star-duel')
  address = (await setup.json(['deploy', 'public'], { folder })).url
})
after(async () => {
  await browser?.close()
  await setup?.stop()
})

/** Chromium resolves every name below localhost, but not every system does: the host is a header here. */
async function fetchAsCrawler(url: string) {
  const { host, port, pathname, search } = new URL(url)
  const sent = get({ port, host: '127.0.0.1', path: pathname + search, headers: { ...CRAWLER, host } })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await buffer(response)
  return { status: response.statusCode, type: response.headers['content-type'], body }
}

/** Plays a round and shares the score; returns the address that is posted. */
async function sharedScore(): Promise<string> {
  const [ada, bob] = [
    await openGame(await browser.newPage({ userAgent: PERSON }), address, 8),
    await openGame(await browser.newPage({ userAgent: PERSON }), address, 8),
  ]
  await ada.page.read(`Object.assign(navigator, { share: async (post) => void (globalThis.post = post) }), 0`)
  for (const game of [ada, bob]) await game.findRival()
  for (const game of [ada, bob]) await game.until(IS_PLAYING)
  await ada.catchStars(2)
  await ada.until(HAS_RESULT)
  await ada.until(`!document.getElementById('share').hidden`)
  await ada.page.press('#share')
  await ada.until('globalThis.post')
  const post = (await ada.page.read('post')) as { text: string; url: string }
  assert.equal(post.text, 'I caught 2 stars in Star Duel. Can you beat me?')
  for (const { page } of [ada, bob]) await page.close()
  return post.url
}

test('[SHR-08] a shared score is a card for crawlers and a challenge for people', async () => {
  const url = await sharedScore()
  assert.match(url, /\/\.share\/shr_\w{12}$/)
  const shareId = url.slice(-16)

  // A crawler runs no script: it reads the tags of the page, then the image.
  const page = await fetchAsCrawler(url)
  assert.equal(page.status, 200)
  const html = page.body.toString()
  const contentOf = (name: string) =>
    new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(html)?.[1] ?? ''
  assert.equal(contentOf('twitter:card'), 'summary_large_image')
  assert.match(contentOf('og:title') ?? '', /^Star Duel: I caught \d+ stars/)
  assert.deepEqual([contentOf('og:image:width'), contentOf('og:image:height')], ['1200', '600'])
  const image = await fetchAsCrawler(contentOf('og:image'))
  assert.equal(image.type, 'image/png')
  const png = image.body
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 600])
  assert.ok(png.length > 5_000, 'the card is not the plain picture')

  // A person is led to the game, which shows the challenge.
  const visitor = await browser.newPage({ userAgent: PERSON })
  const problems = visitor.problems()
  await visitor.open(url)
  await visitor.until(`location.search === '?ks=${shareId}' && document.getElementById('status')`)
  await visitor.until(
    `/caught 2 stars\\.\\nCan you beat that\\?/.test(document.getElementById('status').textContent)`,
  )
  const reported = `performance.getEntriesByType('resource').filter(({ name, responseEnd }) => name.endsWith('/share/visits') && responseEnd > 0).length`
  await visitor.until(`${reported} === 1`)
  await visitor.press('#find')
  await visitor.until(`${reported} === 2`)
  assert.deepEqual(problems, [])
  await visitor.close()

  const { links } = await setup.json(['share', 'links'], { folder })
  assert.deepEqual(
    links.map(({ kind, visits, newPlayers, plays }: Record<string, unknown>) => [
      kind,
      visits,
      newPlayers,
      plays,
    ]),
    [['challenge', 1, 1, 1]],
  )
})
