import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { isSvcError } from '../src/http/errors.ts'
import { CONFIG, startFixtures, type Fixtures } from './fixtures.ts'

const PAGE = 'https://duel.example.com/play?level=3#top'

let fixtures: Fixtures
before(async () => {
  const links = {
    enabled: true,
    text: { en: 'I have {score} points & more', de: 'Ich habe {score} Punkte' },
    hashtags: ['#duel', 'win'],
    via: '@stars',
  }
  fixtures = await startFixtures({ ...CONFIG, share: { links } })
})
after(() => fixtures.stop())

test('[SHR-02] share.create returns the link, its address, and a post for X', async () => {
  const svc = await fixtures.client()
  const link = await svc.share.create({ kind: 'score', score: 1_200, url: PAGE })

  assert.equal(link.url, `https://duel.example.com/play?level=3&ks=${link.id}`)
  assert.equal(link.imageUrl, null)
  const intent = new URL(link.intentUrl)
  assert.equal(intent.origin + intent.pathname, 'https://x.com/intent/post')
  assert.deepEqual(Object.fromEntries(intent.searchParams), {
    text: link.text,
    url: link.url,
    hashtags: 'duel,win',
    via: 'stars',
  })
  assert.match(link.text, /^I have 1,?200 points & more$/)
})

test('[SHR-02] share.create outside a browser requires the address of a page', async () => {
  const svc = await fixtures.client()
  await assert.rejects(svc.share.create({ kind: 'plain' }), (error) => isSvcError(error, 'invalid_options'))
})

test('[SHR-02] a score that is missing is an error of the service', async () => {
  const svc = await fixtures.client()
  await assert.rejects(svc.share.create({ kind: 'score', url: PAGE }), (error) =>
    isSvcError(error, 'invalid_request'),
  )
})

test('[SHR-01] share.create tells that a tool is off', async () => {
  const other = await startFixtures()
  try {
    const svc = await other.client()
    await assert.rejects(svc.share.create({ kind: 'plain', url: PAGE }), (error) =>
      isSvcError(error, 'share_links_disabled'),
    )
  } finally {
    await other.stop()
  }
})

test('share.open, browserLink and offerBrowser tell that they need a page', async () => {
  const svc = await fixtures.client()
  for (const act of [
    () => svc.share.open({ kind: 'plain', url: PAGE }),
    () => svc.share.browserLink(),
    () => svc.share.offerBrowser(),
  ]) {
    await assert.rejects(act(), (error) => isSvcError(error, 'not_available'))
  }
  assert.equal(await svc.share.restore(), undefined)
})
