import assert from 'node:assert/strict'
import { test } from 'node:test'

import { onDemand } from '../src/on-demand.ts'

type Greeter = { greet(name: string): Promise<string>; refuse(): Promise<never> }

const greeter: Greeter = {
  greet: async (name) => `hello ${name}`,
  refuse: () => Promise.reject(new Error('refused')),
}

test('the code is loaded once, by the first call', async () => {
  let loads = 0
  const lazy = onDemand<Greeter>(async () => (loads++, greeter), { greet: 1, refuse: 1 })
  assert.equal(loads, 0)
  assert.deepEqual(await Promise.all([lazy.greet('Ada'), lazy.greet('Bob')]), ['hello Ada', 'hello Bob'])
  await assert.rejects(lazy.refuse(), { message: 'refused' })
  assert.equal(loads, 1)
})

test('a file that cannot be loaded is a network error, and the next call loads it again', async () => {
  let isOffline = true
  const load = async () => {
    if (isOffline) throw new TypeError('Failed to fetch dynamically imported module')
    return greeter
  }
  const lazy = onDemand<Greeter>(load, { greet: 1, refuse: 1 })
  await assert.rejects(lazy.greet('Ada'), { name: 'SvcError', code: 'network_error' })
  isOffline = false
  assert.equal(await lazy.greet('Ada'), 'hello Ada')
})
