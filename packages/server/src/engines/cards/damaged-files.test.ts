import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'

import { cjkFont, exampleCard, inputFile, pictureCards } from '../../testing/card-pictures.ts'
import { pngOf, pngWith } from '../../testing/png.ts'
import { runs } from '../../testing/runs.ts'
import type { Card } from './cards.ts'
import { openTakumi } from './takumi.ts'

/** Pseudo-random numbers that are the same in every run. */
function seededNumbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A copy with up to 30 changed bytes, half of them at the beginning, where headers are. */
function damaged(file: Buffer, index: number): Buffer {
  const number = seededNumbers(index + 1)
  const copy = Buffer.from(index % 10 === 9 ? file.subarray(0, number(file.length)) : file)
  const reach = index % 2 ? Math.min(400, copy.length) : copy.length
  for (let count = 1 + number(30); count > 0 && reach > 0; count--) copy[number(reach)] = number(256)
  return copy
}

describe('damaged files of an app', () => {
  let cards: ReturnType<typeof openTakumi>
  before(() => (cards = openTakumi({ log: assert.fail, limits: { priority: 0 } })))
  after(() => cards.close())

  const japanese = pictureCards['challenge-ja'] ?? exampleCard
  const picture = pngOf(64, 64, (x, y) => [x * 4, y * 4, (x ^ y) * 4])

  async function drawn(card: Card) {
    const drawing = await cards.draw(card)
    assert.ok(drawing.isDrawn)
    return drawing
  }

  test('[SHR-09] 300 damaged fonts and backgrounds never end the drawing process, and each card is drawn', async () => {
    await drawn(exampleCard)
    const processId = cards.processId()
    let leftOut = 0
    for (let index = 0; index < runs(150, 1_500); index++) {
      const font = await drawn({ ...japanese, font: inputFile(damaged(cjkFont, index)) })
      const background = await drawn({ ...exampleCard, background: inputFile(damaged(picture, index)) })
      leftOut += font.problems.length + background.problems.length
    }
    assert.equal(cards.processId(), processId)
    assert.ok(leftOut > 100, `only ${leftOut} files were left out`)
  })

  test('[SHR-09] a background that is damaged, too large or of another type is left out and reported', async () => {
    const plain = Buffer.from((await drawn(exampleCard)).png)
    const bad = {
      bomb: pngWith(20_000, 20_000, deflateSync(Buffer.alloc(1_000))),
      'header only': pngWith(4_096, 4_096, Buffer.alloc(0)),
      'cut off': picture.subarray(0, 200),
      empty: Buffer.alloc(0),
      text: Buffer.from('<script>'),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    }
    for (const [name, background] of Object.entries(bad)) {
      const drawing = await drawn({ ...exampleCard, background: inputFile(background) })
      assert.deepEqual(
        drawing.problems.map(({ file }) => file),
        ['background'],
        name,
      )
      assert.ok(plain.equals(drawing.png), name)
    }
  })

  test('[SHR-09] a font that is damaged or of another type is left out and reported', async () => {
    const plain = Buffer.from((await drawn(exampleCard)).png)
    for (const font of [Buffer.alloc(0), Buffer.from('OTTO'), picture, cjkFont.subarray(0, 300)]) {
      const drawing = await drawn({ ...exampleCard, font: inputFile(font) })
      assert.deepEqual(
        drawing.problems.map(({ file }) => file),
        ['font'],
      )
      assert.ok(plain.equals(drawing.png))
    }
  })
})
