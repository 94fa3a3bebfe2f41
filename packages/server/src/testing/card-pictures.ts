import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import type { Card, InputFile } from '../engines/cards/cards.ts'
import { pngOf } from './png.ts'

/** A font with a few Japanese and Chinese characters. */
export const cjkFont = readFileSync(new URL('./fonts/noto-sans-sc-subset.ttf', import.meta.url))

/** A file that the engine can read. */
export const inputFile = (bytes: Uint8Array): InputFile => ({
  sha256: hash('sha256', bytes),
  read: async () => bytes,
})

export const exampleCard: Card = {
  environmentId: 'env_1',
  templateVersion: 1,
  kind: 'score',
  title: 'Star Duel',
  score: 12_345,
  displayName: 'Zoë Łukasz',
  language: 'en',
  theme: { background: '#0f1115', accent: '#ffcc33', text: '#ffffff' },
  background: null,
  font: null,
}

const challenge = (language: string): Card => ({
  ...exampleCard,
  kind: 'challenge',
  language,
  score: 98_765.4,
})
const longTitle = 'The quick brown fox jumps over the lazy dog and the cat, yes'

/** The cards that are compared with the pictures in `engines/cards/pictures`. */
export const pictureCards: Record<string, Card> = {
  default: { ...exampleCard, kind: 'default', score: null, displayName: null },
  plain: { ...exampleCard, kind: 'plain', score: null },
  'plain-long': { ...exampleCard, kind: 'plain', score: null, title: longTitle },
  score: exampleCard,
  'score-nothing-else': { ...exampleCard, title: null, displayName: null },
  'score-long': {
    ...exampleCard,
    title: longTitle,
    score: -123_456_789_012_345,
    displayName: 'W'.repeat(40),
    language: 'fr',
  },
  'score-exponent': {
    ...exampleCard,
    score: 1.234_567_8e22,
    theme: { background: '#ffffff', accent: '#c2185b', text: '#222222' },
  },
  'challenge-en': challenge('en'),
  'challenge-de': challenge('de-AT'),
  'challenge-es': challenge('es'),
  'challenge-pt': challenge('pt-BR'),
  'challenge-ja': {
    ...challenge('ja'),
    title: 'スターデュエル',
    displayName: 'Zoë 葵',
    font: inputFile(cjkFont),
  },
  'challenge-zh': { ...challenge('zh-Hans'), title: '星之对决', font: inputFile(cjkFont) },
  'challenge-ja-built-in-font': { ...challenge('ja'), title: 'Star Duel · スターデュエル 🚀' },
  background: {
    ...challenge('es'),
    title: 'Neon Drift',
    theme: { background: '#20124d', accent: '#7cffb2', text: '#f4f0ff' },
    background: inputFile(pngOf(300, 300, (x, y) => [x % 256, (y * 2) % 256, 255 - (x % 256)])),
  },
}
