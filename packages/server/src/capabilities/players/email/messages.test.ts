import assert from 'node:assert/strict'
import { test } from 'node:test'

import { languageOf, messagesFor } from './messages.ts'

test('[CFG-07] the messages of a language are found by its code, its base language, or in English', () => {
  const codes = (...languages: string[]) => languages.map((language) => messagesFor(language).code)
  assert.deepEqual(codes('en', 'ja', 'de', 'es', 'pt-BR', 'zh'), ['en', 'ja', 'de', 'es', 'pt-BR', 'zh'])
  assert.deepEqual(codes('en-GB', 'DE-ch', 'pt', 'pt-PT', 'zh-Hant-TW'), ['en', 'de', 'pt-BR', 'pt-BR', 'zh'])
  assert.deepEqual(codes('', 'x', 'fr', 'constructor', '__proto__'), ['en', 'en', 'en', 'en', 'en'])
})

test('a browser’s languages are used in the order of their weights', () => {
  const cases = {
    '': 'en',
    '*': 'en',
    ja: 'ja',
    'fr-FR, fr;q=0.9, de;q=0.5, en;q=0.4': 'de',
    'en;q=0.1, ja;q=0.9': 'ja',
    'de;q=0, es': 'es',
    'pt-BR,pt;q=0.9,en;q=0.8': 'pt-BR',
    'de;q=x, ;;;,,=': 'en',
    'fr, nl': 'en',
  }
  for (const [header, language] of Object.entries(cases)) assert.equal(languageOf(header), language, header)
})

test('every language has every text, with the name of the app where it belongs', () => {
  for (const language of ['en', 'ja', 'de', 'es', 'pt', 'zh']) {
    const messages = messagesFor(language)
    for (const { mail } of [messages.verify, messages.reset]) {
      assert.ok(mail.subject('Star Duel').includes('Star Duel'))
      assert.ok(mail.why('Star Duel').includes('Star Duel'))
    }
  }
})
