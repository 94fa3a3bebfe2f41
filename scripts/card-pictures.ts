import { writeFileSync } from 'node:fs'

import { openTakumi } from '../packages/server/src/engines/cards/takumi.ts'
import { pictureCards } from '../packages/server/src/testing/card-pictures.ts'

/** Draws the pictures that `pictures.test.ts` compares with. Run it after a change of the template, and look at each of them. */
const folder = new URL('../packages/server/src/engines/cards/pictures/', import.meta.url)
const cards = openTakumi({ log: console.error })
for (const [name, card] of Object.entries(pictureCards)) {
  const { png } = await cards.draw(card)
  writeFileSync(new URL(`${name}.png`, folder), png)
}
await cards.close()
