import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { Turns } from './turns.ts'

type Item = { environmentId: string; at: number }
type Step = { add: string } | { take: string[] } | { remove: number }

const ENVIRONMENTS = ['a', 'b', 'c', 'd'] as const
const MAX = 5

const environmentId = fc.constantFrom(...ENVIRONMENTS)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: environmentId }) },
  // Those that may have a turn.
  { weight: 3, arbitrary: fc.record({ take: fc.subarray([...ENVIRONMENTS], { minLength: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) },
)

/** The same, written plainly: all that waits, and for each the turns that others had since it came. */
class Model {
  waiting: { item: Item; turnsOfOthers: Map<string, number> }[] = []

  lineOf(of: string): Item[] {
    return this.waiting.filter(({ item }) => item.environmentId === of).map(({ item }) => item)
  }

  end(item: Item) {
    this.waiting = this.waiting.filter((one) => one.item !== item)
  }

  /** Everybody else waits for it; those who may not have a turn do not. */
  serve(item: Item, mayHaveTurn: readonly string[]) {
    const turns = this.waiting.find((one) => one.item === item)
    assert.ok(turns, 'what was served waited')
    assert.equal(this.lineOf(item.environmentId)[0], item, 'the oldest of its environment')
    this.end(item)
    for (const { item: waits, turnsOfOthers } of this.waiting) {
      if (waits.environmentId === item.environmentId || !mayHaveTurn.includes(waits.environmentId)) continue
      const had = (turnsOfOthers.get(item.environmentId) ?? 0) + 1
      turnsOfOthers.set(item.environmentId, had)
    }
  }
}

test('[OPS-85] nobody waits behind more than their share, nothing starves, and what no longer waits is gone', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const turns = new Turns<Item>(MAX)
      const model = new Model()
      /** The place in its own line when it came. */
      const places = new Map<Item, number>()
      for (const [at, one] of steps.entries()) {
        if ('add' in one) {
          const item = { environmentId: one.add, at }
          model.waiting.push({ item, turnsOfOthers: new Map() })
          places.set(item, model.lineOf(one.add).length)
          const refused = turns.add(item)
          assert.equal(refused !== undefined, model.waiting.length > MAX)
          if (refused) {
            const longest = Math.max(...ENVIRONMENTS.map((of) => model.lineOf(of).length))
            assert.equal(model.lineOf(refused.environmentId).length, longest, 'who filled it')
            assert.equal(model.lineOf(refused.environmentId).at(-1), refused, 'its newest')
            model.end(refused)
          }
        } else if ('take' in one) {
          const item = turns.take((of) => one.take.includes(of))
          const someMay = model.waiting.some((waits) => one.take.includes(waits.item.environmentId))
          assert.equal(item !== undefined, someMay, 'who may have a turn gets one')
          if (item) model.serve(item, one.take)
        } else {
          const waits = model.waiting[one.remove % Math.max(1, model.waiting.length)]
          if (waits) turns.remove(waits.item)
          if (waits) model.end(waits.item)
        }
        assert.equal(turns.size, model.waiting.length)
        for (const { item, turnsOfOthers } of model.waiting)
          for (const had of turnsOfOthers.values())
            assert.ok(had <= (places.get(item) ?? 0), `${had} turns of another, at place ${places.get(item)}`)
      }
      assert.deepEqual(new Set(turns.takeAll()), new Set(model.waiting.map(({ item }) => item)))
      assert.equal(turns.size, 0)
    }),
    { numRuns: 500 },
  )
})

test('[OPS-85] the newest is refused where all have as many', () => {
  const turns = new Turns<Item>(2)
  turns.add({ environmentId: 'a', at: 0 })
  turns.add({ environmentId: 'b', at: 1 })
  const third = { environmentId: 'c', at: 2 }

  assert.equal(turns.add(third), third)
})
