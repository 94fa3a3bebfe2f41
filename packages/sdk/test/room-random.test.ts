import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { type RandomSeed, SeededRandom } from '../src/room/seeded-random.ts'

const firstOf = (seed: RandomSeed) => {
  const random = SeededRandom.of(seed)
  return [random.next(), random.next(), random.next()]
}

describe('the random numbers of a room', () => {
  test('[RWC-06] each of the 128 bits of a seed decides the sequence', () => {
    const words = [1, 2, 3, 4]
    const sequences = new Set([firstOf([1, 2, 3, 4]).join()])
    for (const [at, word] of words.entries())
      for (let bit = 0; bit < 32; bit++)
        sequences.add(
          firstOf(words.with(at, (word ^ (1 << bit)) >>> 0) as [number, number, number, number]).join(),
        )
    assert.equal(sequences.size, 1 + 4 * 32)
  })

  test('[RWC-06] seeds of earlier versions keep their sequences', () => {
    assert.deepEqual(firstOf('seed').slice(0, 2), [0.4466889819595963, 0.8176075874362141])
    assert.deepEqual(firstOf(12_345).slice(0, 2), [0.9716174807399511, 0.6813996301498264])
  })

  test('[RWC-06] a sequence continues from its state', () => {
    const random = SeededRandom.of([1, 2, 3, 4])
    random.next()
    const continued = new SeededRandom(JSON.parse(random.text()) as [number, number, number, number])
    assert.equal(continued.next(), random.next())
  })
})
