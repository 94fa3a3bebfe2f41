import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createStandstill } from './standstill.ts'

/** A process whose time the test moves, with an event loop that runs once per millisecond unless it is paused. */
function startProcess() {
  let ms = 1_000
  let due: { ms: number; work: () => void } | undefined
  let turns: (() => void)[] = []
  const standstill = createStandstill(() => ms, {
    after: (afterMs, work) => void (due = { ms: ms + afterMs, work }),
    nextTurn: (work) => void turns.push(work),
  })
  function turn() {
    const ready = turns
    turns = []
    for (const work of ready) work()
    if (due && due.ms <= ms) due.work()
  }
  return {
    standstill,
    turn,
    run(forMs: number) {
      for (let step = 0; step < forMs; step++) {
        ms++
        turn()
      }
    },
    standStill: (forMs: number) => void (ms += forMs),
    ask: (readMsAgo = 0) => standstill.arrivedMsAgo(readMsAgo),
  }
}

for (const when of ['after a long silence', 'while others ask'] as const) {
  const start = () => {
    const process = startProcess()
    if (when === 'while others ask') process.ask()
    process.run(5_003)
    return process
  }

  test(`${when}, data read without a pause counts as arrived when it was read`, () => {
    const process = start()
    for (let round = 0; round < 100; round++) {
      assert.equal(process.ask(), 0)
      process.run(7)
      assert.equal(process.ask(3), 3)
    }
  })

  test(`${when}, data read right after a pause counts as arrived at its beginning, whether the tick or the request runs first`, () => {
    for (const isTickFirst of [true, false]) {
      for (const pauseMs of [101, 150, 300, 500, 3_600_000]) {
        const process = start()
        process.standStill(pauseMs)
        if (isTickFirst) process.turn()
        const ago = process.ask()
        assert.ok(ago >= pauseMs && ago <= pauseMs + 50, `${ago} after ${pauseMs}`)
      }
    }
  })

  test(`${when}, a pause of no more than 50 ms changes nothing`, () => {
    const process = start()
    process.standStill(50)
    assert.equal(process.ask(), 0)
  })
}

test('a connection opened during the pause is read a tick later, and its data counts from the start of the pause, too', () => {
  const process = startProcess()
  process.ask()
  process.run(1_000)
  process.standStill(300)
  process.turn()
  process.run(1)
  assert.ok(process.ask() >= 301)
  process.run(2)
  assert.equal(process.ask(), 0)
  process.run(5)
  assert.equal(process.ask(1), 1)
})

test('connections opened during the pause are accepted one per tick: data on the last one counts, too', () => {
  const process = startProcess()
  process.ask()
  process.run(1_000)
  process.standStill(300)
  process.turn()
  for (let connection = 0; connection < 50; connection++) {
    process.standstill.accepted()
    process.run(1)
  }
  assert.ok(process.ask() >= 350)
  process.run(3)
  assert.equal(process.ask(), 0)
})

test('a steady flow of new connections does not extend an earlier pause', () => {
  const process = startProcess()
  process.ask()
  process.run(1_000)
  process.standStill(300)
  for (let turn = 0; turn < 520; turn++) {
    process.standstill.accepted()
    process.run(1)
  }
  assert.equal(process.ask(), 0)
})

test('data read right after a pause is still recognized after another pause', () => {
  const process = startProcess()
  process.ask()
  process.run(1_000)
  process.standStill(200)
  process.turn()
  process.run(20)
  process.standStill(300)
  assert.ok(process.ask(320) >= 520)
  assert.equal(process.ask(310), 310)
})

test('a pause begins after the process was last seen to run', () => {
  const process = startProcess()
  process.ask()
  process.run(1_008)
  process.standstill.noteRunning()
  process.standStill(300)
  assert.equal(process.ask(), 300)
})

test('during repeated delays data counts as no older than the last two pauses', () => {
  const process = startProcess()
  process.ask()
  process.run(1_000)
  for (let round = 0; round < 10; round++) {
    process.standStill(100)
    process.turn()
  }
  assert.ok(process.ask() <= 200)
})

test('caughtUp waits until all data that arrived during a pause is read; without a pause it does not wait', async () => {
  const process = startProcess()
  process.run(1_000)
  await process.standstill.caughtUp()

  process.standStill(300)
  let isCaughtUp = false
  const waiting = process.standstill.caughtUp().then(() => (isCaughtUp = true))
  process.run(2)
  await Promise.resolve()
  assert.equal(isCaughtUp, false)
  process.run(1)
  await waiting
  assert.equal(process.ask(), 0)
})

test('allAccepted waits for some turns that accept no connection', async () => {
  const process = startProcess()
  let areAccepted = false
  const waiting = process.standstill.allAccepted().then(() => (areAccepted = true))
  const turn = async () => {
    process.turn()
    // The continuation of one turn asks for the next one.
    await new Promise(setImmediate)
  }
  for (let connection = 0; connection < 20; connection++) {
    process.standstill.accepted()
    await turn()
    assert.equal(areAccepted, false)
  }
  for (let quiet = 0; quiet < 3; quiet++) await turn()
  await waiting
})
