import assert from 'node:assert/strict'
import { test } from 'node:test'

import { destroyIfNotClosed, hasClosed } from './close-timeout.ts'

test('a socket is destroyed 1 to 2 s after its close was requested', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const destroyed: string[] = []
  const expect = (name: string) => destroyIfNotClosed({ destroy: () => destroyed.push(name) })

  expect('first')
  t.mock.timers.tick(999)
  expect('second')
  t.mock.timers.tick(1)
  expect('third')
  assert.deepEqual(destroyed, [])
  t.mock.timers.tick(1_000)
  assert.deepEqual(destroyed, ['first', 'second'])
  t.mock.timers.tick(1_000)
  assert.deepEqual(destroyed, ['first', 'second', 'third'])

  // The timer has ended in the meantime, and starts again.
  t.mock.timers.tick(60_000)
  expect('fourth')
  t.mock.timers.tick(2_000)
  assert.deepEqual(destroyed, ['first', 'second', 'third', 'fourth'])
})

test('a socket that has closed by then is not destroyed', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const destroyed: string[] = []
  const closing = (name: string) => {
    const peer = { destroy: () => destroyed.push(name) }
    destroyIfNotClosed(peer)
    return peer
  }
  const [early, late] = [closing('early'), closing('late')]
  closing('never')

  hasClosed(early)
  t.mock.timers.tick(1_000)
  hasClosed(late)
  t.mock.timers.tick(1_000)
  assert.deepEqual(destroyed, ['never'])
})
