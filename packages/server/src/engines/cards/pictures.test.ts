import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'

import { exampleCard, pictureCards } from '../../testing/card-pictures.ts'
import { largestDifference } from '../../testing/png.ts'
import type { Card } from './cards.ts'
import { openTakumi } from './takumi.ts'

const DIFFERENCE_MAX = 2

describe('pictures of cards', () => {
  let cards: ReturnType<typeof openTakumi>
  before(() => (cards = openTakumi({ log: assert.fail, limits: { priority: 0 } })))
  after(() => cards.close())

  async function drawn(card: Card) {
    const drawing = await cards.draw(card)
    assert.ok(drawing.isDrawn)
    assert.deepEqual(drawing.problems, [])
    return Buffer.from(drawing.png)
  }

  const expected = (name: string) => readFileSync(new URL(`./pictures/${name}.png`, import.meta.url))

  for (const [name, card] of Object.entries(pictureCards)) {
    test(`[SHR-09] the card ${name} looks as in pictures/${name}.png`, async () => {
      const difference = largestDifference(await drawn(card), expected(name))
      assert.ok(difference <= DIFFERENCE_MAX, `a pixel differs by ${difference}`)
    })
  }

  test('cards that differ in one digit differ in pixels', async () => {
    const other = await drawn({ ...exampleCard, score: 12_346 })
    assert.ok(largestDifference(other, expected('score')) > 100)
  })

  test('[SHR-09] characters that no font has are left out, without boxes in their place', async () => {
    const missing: Card = { ...exampleCard, title: 'Star 漢字 Duel 🚀👩‍🚀', displayName: 'مرحبا' }
    assert.ok((await drawn(missing)).equals(await drawn({ ...exampleCard, displayName: null })))
  })

  test('[SHR-07] the same card gives the same bytes', async () => {
    assert.ok((await drawn(exampleCard)).equals(await drawn({ ...exampleCard, environmentId: 'env_2' })))
  })
})
