import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Service, startService } from '../../server/src/testing/service.ts'
import { createSearch, type Found } from '../src/browser/search-ranking.ts'
import type { SearchIndex } from '../src/search/search-index.ts'
import { SYNONYMS } from '../src/search/synonyms.ts'

/** A question, and the pages of which one must be first: a page of the guide, or with a slash any page. */
const QUESTIONS: [question: string, ...pages: string[]][] = [
  // What found nothing, or the wrong page, before the index had synonyms.
  ['GDPR', 'privacy'],
  ['COPPA', 'children'],
  ['privacy', 'privacy'],
  ['security', 'security'],
  ['CORS', 'config'],
  ['TypeScript', 'typescript'],
  ['pricing', 'pricing'],
  ['quota', 'limits'],
  ['caddy', 'install'],
  ['godot', 'engines'],
  ['phaser', 'engines'],
  ['webgl', 'engines'],
  ['firebase', 'coming-from-firebase'],
  ['playfab', 'coming-from-playfab'],
  ['achievements', 'faq'],
  ['inventory', 'faq'],
  ['purchase', 'faq'],
  ['tick', 'rooms-with-code'],
  ['docker', 'install'],
  ['systemd', 'install'],
  ['react', 'engines'],
  ['unity', 'engines'],
  ['authoritative', 'rooms-with-code'],
  ['log out', 'players'],
  ['kick', 'channels'],
  // The words of the docs themselves.
  ['leaderboard around me', 'leaderboards'],
  ['ban appeal', 'bans'],
  ['VOICE_PORT', '/docs/settings'],
  ['how do I deploy', 'hosting', 'first-steps'],
  ['version_conflict', '/docs/errors', 'saves', 'troubleshooting'],
  ['quickMatch', 'matchmaking', 'rooms', '/docs/sdk-browser'],
  ['verify webhook signature', 'webhooks'],
  ['sign in with google', 'players'],
  ['several machines redis', 'growing', 'self-hosting'],
  ['cron', 'functions'],
  ['PUT /v1/saves', '/docs/api/saves'],
  ['openSignIn', '/docs/sdk-ui', 'players'],
  ['save conflict between devices', 'saves'],
  ['voice chat', 'voice'],
  ['rollback', 'hosting'],
  ['roles in a team', 'team'],
  ['MCP', 'agents'],
  ['restore a backup', 'backups'],
  ['prometheus', 'monitoring'],
  ['svc.config.json', 'config'],
  ['feature_disabled', '/docs/errors', 'config', 'troubleshooting'],
  // As a stranger asks.
  ['how much does it cost', 'pricing'],
  ['rate limit', 'limits'],
  ['maximum size of a save', 'saves', 'limits'],
  ['how do I reset a forgotten password', 'players'],
  ['delete account', 'players'],
  ['can players cheat', 'stats', 'leaderboards', 'who-decides'],
  ['webrtc', 'peer-to-peer'],
  ['chat', 'channels'],
  ['share a score on social media', 'sharing'],
  ['supabase', 'coming-from-supabase'],
  ['colyseus', 'coming-from-colyseus'],
  ['nakama', 'coming-from-nakama'],
  ['migrate localStorage', 'existing-game'],
  ['unit tests', 'testing'],
  ['upgrade without downtime', 'upgrades'],
  ['postgres', 'growing', 'sqlite-to-postgresql'],
  ['glossary', 'concepts'],
  ['matchmaking', 'matchmaking', 'rooms'],
]
/** What somebody who makes a game types, and the places of which one must be first: a page with all of its headings, or one heading. */
const GAME_QUESTIONS: [question: string, ...places: string[]][] = [
  ['how to host my game', 'hosting'],
  ['offline mode', 'existing-game', 'saves'],
  ['leaderboard friends only', 'leaderboards#ranks'],
  ['cors error', 'troubleshooting#a-cors-error-in-the-console'],
  ['private room invite link', 'rooms'],
  ['kick player', 'faq#how-do-i-kick-a-player'],
  ['voice chat not working safari', 'troubleshooting#the-microphone-does-not-work-on-an-iphone'],
  ['environment variables', '/docs/settings'],
  ['save conflict two devices', 'saves#conflicts-between-devices'],
  ['websocket url', '/docs/frames'],
  ['save progress to cloud', 'saves'],
  ['guest becomes account keep progress', 'players'],
  ['password reset email not arriving', 'troubleshooting#no-emails-arrive'],
  ['weekly leaderboard reset', 'leaderboards'],
  ['daily high score', 'leaderboards', 'stats'],
  ['stop cheaters', 'stats', 'leaderboards#cheating', 'who-decides'],
  ['two player matchmaking', 'matchmaking', 'rooms#matchmaking'],
  ['play with friends by code', 'rooms'],
  ['reconnect after page refresh', 'rooms#reconnecting'],
  ['server authoritative movement', 'rooms-with-code'],
  ['lag compensation', 'rooms-with-code', 'room-class'],
  ['turn based game', 'turn-based'],
  ['unit test a room class', 'room-tests', '/docs/sdk-room-test'],
  ['webrtc between players', 'peer-to-peer'],
  ['chat moderation', 'channels'],
  ['mute a player in voice chat', 'voice'],
  ['deploy to production', 'hosting'],
  ['custom domain', 'hosting'],
  ['undo a deploy', 'hosting'],
  ['run code every night', 'functions'],
  ['sql database', 'functions'],
  ['is the api key in javascript safe', 'security', 'concepts'],
  ['unity sdk', 'engines'],
  ['phaser multiplayer', 'engines'],
  ['install on windows', 'first-steps#macos-and-windows'],
  ['docker compose', 'install'],
  ['max players per room', 'limits', 'rooms', 'matchmaking'],
  ['delete player data gdpr', 'privacy'],
  ['import users', 'faq#can-i-import-users-from-another-service'],
  ['share score picture', 'sharing'],
  ['cost of 1000 players', 'pricing'],
  ['send push notifications', 'faq'],
]
/** Of the 42 questions, at most this many may have another place first. */
const GAME_MISSED_MAX = 4
/** Of the questions whose page exists, at most this many may have another page first. */
const MISSED_MAX = 3

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

const hrefOf = (page: string) => (page.startsWith('/') ? page : `/docs/guide/${page}`)

test('[DOC-09] of 60 searches at least 57 have the right page first', (t) => {
  assert.ok(QUESTIONS.length >= 60)
  const missed: string[] = []
  for (const [question, ...pages] of QUESTIONS) {
    const first = search(question)[0]?.href.split('#')[0] ?? 'nothing'
    if (!pages.map(hrefOf).includes(first)) missed.push(`“${question}” found ${first}`)
  }
  t.diagnostic(`${missed.length} missed: ${missed.join('; ')}`)
  assert.ok(missed.length <= MISSED_MAX, missed.join('\n'))
})

test('[DOC-16] of 42 questions of somebody who makes a game, at least 38 have the right place first, and all among the first three', (t) => {
  assert.equal(GAME_QUESTIONS.length, 42)
  const missed: string[] = []
  for (const [question, ...places] of GAME_QUESTIONS) {
    const found = search(question).map(({ href }) => href)
    const isRight = (href = '') =>
      places
        .map(hrefOf)
        .some((place) => href === place || (!place.includes('#') && href.startsWith(`${place}#`)))
    if (!isRight(found[0])) missed.push(`“${question}” found ${found[0]}`)
    assert.ok(found.slice(0, 3).some(isRight), `${question}: ${found.slice(0, 3).join(' ')}`)
  }
  t.diagnostic(`${missed.length} missed: ${missed.join('; ')}`)
  assert.ok(missed.length <= GAME_MISSED_MAX, missed.join('\n'))
})

test('[DOC-09] every phrase leads to one place, and every place with synonyms exists', () => {
  const phrases = Object.values(SYNONYMS).flatMap((text) => text.split(',').map((phrase) => phrase.trim()))
  assert.deepEqual(
    phrases.filter((phrase, at) => phrases.indexOf(phrase) !== at),
    [],
  )
  const places = new Set(index.sections.map(([page, id]) => index.pages[page]?.href + (id && `#${id}`)))
  const missing = Object.keys(SYNONYMS).filter((href) => !places.has(href))
  assert.deepEqual(missing, [])
})

test('[DOC-06] every search with a page has it among the first three', () => {
  for (const [question, ...pages] of QUESTIONS) {
    const found = search(question).slice(0, 3)
    assert.ok(
      found.some(({ href }) => pages.map(hrefOf).includes(href.split('#')[0] ?? '')),
      `${question}: ${found.map(({ href }) => href).join(' ')}`,
    )
  }
})

test('[DOC-06] a misspelled word is found, and nonsense is not', () => {
  assert.match(search('matchmakng')[0]?.href ?? '', /^\/docs\/guide\/(?:rooms|matchmaking)/)
  assert.match(search('leaderbord')[0]?.href ?? '', /^\/docs\/guide\/leaderboards/)
  assert.deepEqual(search('xqzzyqx'), [])
  assert.deepEqual(search(''), [])
  assert.deepEqual(search('<>"'), [])
})

test('[DOC-09] the index has the groups, for a search that finds nothing', () => {
  assert.deepEqual(
    index.groups.map(({ title }) => title),
    ['Start', 'Players', 'Multiplayer', 'Your code and your app', 'Run it', 'Help', 'API', 'Reference'],
  )
})
