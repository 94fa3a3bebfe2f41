import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Service, startService } from '../../server/src/testing/service.ts'
import { createSearch, type Found } from '../src/browser/search-ranking.ts'
import type { SearchIndex } from '../src/search-index.ts'

/** A question, and the page or section that answers it. */
const QUESTIONS: [question: string, answer: RegExp][] = [
  ['leaderboard around me', /^\/docs\/(?:guide|api)\/leaderboards/],
  ['ban appeal', /^\/docs\/guide\/bans/],
  ['VOICE_PORT', /^\/docs\/settings#VOICE_PORT$/],
  ['how do I deploy', /^\/docs\/guide\/(?:hosting|first-steps)/],
  ['version_conflict', /^\/docs\/(?:errors#version_conflict|guide\/saves)/],
  ['quickMatch', /^\/docs\/(?:guide\/rooms|sdk-browser)/],
  ['verify webhook signature', /^\/docs\/(?:guide\/webhooks|sdk-server#verifywebhook)/],
  ['sign in with google', /^\/docs\/guide\/players/],
  ['several machines redis', /^\/docs\/guide\/(?:growing|self-hosting)/],
  ['cron', /^\/docs\/guide\/functions/],
  ['PUT /v1/saves', /^\/docs\/api\/saves#writeSave/],
  ['openSignIn', /^\/docs\/sdk-ui#opensignin/],
]

let service: Service
let index: SearchIndex
let search: (question: string) => Found[]
before(async () => {
  service = await startService('sqlite')
  const { status, body } = await service.call('GET', '/docs/search.json')
  assert.equal(status, 200)
  index = body
  search = createSearch(index)
})
after(() => service.stop())

for (const [question, answer] of QUESTIONS)
  test(`[DOC-06] the search answers “${question}” among the first three`, () => {
    const found = search(question).map(({ href }) => href)
    assert.ok(
      found.slice(0, 3).some((href) => answer.test(href)),
      found.join('\n'),
    )
  })

test('[DOC-06] a misspelled word is found, and nonsense is not', () => {
  assert.match(search('matchmakng')[0]?.href ?? '', /^\/docs\/guide\/rooms/)
  assert.deepEqual(search('xqzzyqx'), [])
  assert.deepEqual(search(''), [])
  assert.deepEqual(search('<>"'), [])
})
