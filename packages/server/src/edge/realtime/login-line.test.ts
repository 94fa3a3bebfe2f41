import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { createLoginLine } from './login-line.ts'

/** Logins that end when they are told to. */
function openLine(options: { runningMax: number; waitingMax: number }) {
  const line = createLoginLine(options)
  const begun: string[] = []
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>()
  const results = new Map<string, string>()
  const clients = new Map<string, object>()

  return {
    line,
    begun,
    results,
    come(name: string) {
      clients.set(name, {})
      line
        .run(clients.get(name) ?? {}, () => {
          begun.push(name)
          const { promise, resolve, reject } = Promise.withResolvers<void>()
          ends.set(name, { resolve, reject })
          return promise
        })
        .then(
          () => results.set(name, begun.includes(name) ? 'in' : 'left'),
          (error: { code?: string }) => results.set(name, error.code ?? 'failed'),
        )
    },
    leave: (name: string) => line.leave(clients.get(name) ?? {}),
    end: (name: string) => ends.get(name)?.resolve(),
    fail: (name: string) => ends.get(name)?.reject(new Error('the database is slow')),
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('[WSK-23] logins beyond those that may run wait, the newest last; who leaves is left out; a full line refuses', async () => {
  const { line, begun, results, come, leave, end, fail } = openLine({ runningMax: 2, waitingMax: 3 })
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) come(name)
  await settled()
  assert.deepEqual([begun, line.isFull, results.get('f')], [['a', 'b'], true, 'service_unavailable'])
  leave('d')
  end('a')
  fail('b')
  await settled()
  assert.deepEqual(begun, ['a', 'b', 'c', 'e'])
  assert.deepEqual([results.get('a'), results.get('b'), results.get('d')], ['in', 'failed', 'left'])
  end('c')
  end('e')
  await settled()
  come('g')
  await settled()
  assert.deepEqual([begun.at(-1), line.waiting], ['g', 0])
})

test('[WSK-23] in any order of events, as many as may run do so, and in the order in which they came', async () => {
  const event = fc.constantFrom('come', 'leave', 'end', 'fail')
  const events = fc.array(fc.tuple(event, fc.nat(20)), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(events, async (all) => {
      const limits = { runningMax: 2, waitingMax: 4 }
      const { line, begun, results, come, leave, end, fail } = openLine(limits)
      let names = 0
      let running: string[] = []
      let waiting: string[] = []
      const expected: string[] = []
      const admit = () => {
        while (running.length < limits.runningMax && waiting.length > 0) {
          const next = waiting.shift() ?? ''
          running.push(next)
          expected.push(next)
        }
      }
      for (const [what, at] of all) {
        const one = running[at % Math.max(1, running.length)]
        if (what === 'come') {
          const name = `client ${++names}`
          come(name)
          if (running.length < limits.runningMax || waiting.length < limits.waitingMax) waiting.push(name)
        } else if (what === 'leave') {
          const gone = waiting[at % Math.max(1, waiting.length)]
          if (gone !== undefined) leave(gone)
          waiting = waiting.filter((name) => name !== gone)
        } else if (one !== undefined) {
          if (what === 'end') end(one)
          else fail(one)
          running = running.filter((name) => name !== one)
        }
        admit()
        await settled()
        assert.deepEqual(begun, expected)
        assert.equal(line.waiting, waiting.length)
      }
      assert.equal(results.size + running.length + waiting.length, names)
    }),
    { numRuns: 50 },
  )
})
