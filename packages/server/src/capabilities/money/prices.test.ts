import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { USAGE_COMPONENTS, type UsageComponent } from '@svc/contract/money'

import { costsOf, DEFAULT_PRICES, NO_PRICES, type Quantities, readPrices } from './prices.ts'

const GUIDE = join(import.meta.dirname, '../../../../../docs/guide/pricing.md')
const ROOMS_GUIDE = join(GUIDE, '../room-class.md')
const HOURS_PER_MONTH = 730
/** The rows of the examples in the guide. */
const COMPONENTS: Record<string, UsageComponent> = {
  requests: 'functions.requests',
  'CPU ms': 'functions.cpuMs',
  'rows read': 'functions.rowsRead',
  'rows written': 'functions.rowsWritten',
  stored: 'functions.storageByteHours',
  'relay minutes': 'voice.relayMinutes',
}
const PER: Record<string, (perUnit: number) => number> = {
  'per million': (micro) => micro * 1_000_000,
  'per GiB': (micro) => micro * 2 ** 30,
  'per GiB and month (730 hours)': (micro) => micro * 2 ** 30 * HOURS_PER_MONTH,
  'per minute': (micro) => micro,
}

test('[MON-07] every component has a price, and the guide has the same ones', () => {
  assert.deepEqual(
    DEFAULT_PRICES.map(({ component }) => component),
    USAGE_COMPONENTS,
  )
  const rows = [...readFileSync(GUIDE, 'utf8').matchAll(/^\| `([\w.]+)` \| ([\w-]+) \| (.+) \|$/gm)]
  const inGuide = rows.map(([, component, unit, price = '']) => {
    const [, dollars = '0', per = ''] = /^\$([\d.]+) (.+)$/.exec(price) ?? []
    return [component, unit, Math.round(Number(dollars) * 1e6), per]
  })
  const inCode = DEFAULT_PRICES.map(({ component, unit, per, microUsd }) => {
    const name = Object.keys(PER).find((text) => PER[text]?.(1) === per) ?? ''
    return [component, unit, microUsd, microUsd === 0 ? '' : name]
  })
  assert.deepEqual(inGuide, inCode)
})

test('[MON-07] the costs of the examples in the guide are those of the prices', () => {
  const examples = readFileSync(GUIDE, 'utf8').split(/^### /m).slice(1)
  assert.equal(examples.length, 3)
  const [, ofRooms = ''] = readFileSync(ROOMS_GUIDE, 'utf8').split('## What it costs')
  for (const example of [...examples, ofRooms]) {
    const rows = [...example.matchAll(/^\| ([\w ]+) \| ([\d,]+)( MiB)? \| (\$[\d.]+) \|$/gm)]
    const quantities: Quantities = Object.fromEntries(
      rows.map(([, label = '', number = '', isStored]) => {
        const quantity = Number(number.replaceAll(',', ''))
        // Storage is given as the size that was stored for the whole month.
        return [COMPONENTS[label], isStored === undefined ? quantity : quantity * 2 ** 20 * HOURS_PER_MONTH]
      }),
    )
    const { components, dueCents } = costsOf(DEFAULT_PRICES, quantities)
    const used = components.filter(({ quantity }) => quantity > 0)
    assert.ok(used.length > 0, example)
    assert.deepEqual(
      rows.map(([, label = '', , , cost]) => [COMPONENTS[label], cost]),
      used.map(({ component, costMicroUsd }) => [component, `$${(costMicroUsd / 1e6).toFixed(3)}`]),
    )
    const [, charged] = /^\| \*\*charged\*\* \| \| \*\*(.+)\*\* \|$/m.exec(example) ?? []
    assert.equal(charged, `$${(dueCents / 100).toFixed(2)}`)
  }
})

test('[MON-07] costs are rounded down per component, and products above 2^53 are exact', () => {
  const quantity = Number.MAX_SAFE_INTEGER
  const { components, dueCents } = costsOf(DEFAULT_PRICES, { 'functions.rowsWritten': quantity })
  assert.equal(components[3]?.costMicroUsd, quantity)
  assert.equal(dueCents, Math.floor(quantity / 10_000))
  assert.equal(costsOf(DEFAULT_PRICES, { 'functions.cpuMs': 49 }).totalMicroUsd, 0)
  assert.equal(costsOf(DEFAULT_PRICES, { 'functions.cpuMs': 50 }).totalMicroUsd, 1)
  assert.equal(costsOf(NO_PRICES, { 'voice.relayMinutes': 1e9 }).totalMicroUsd, 0)
})

test('[MON-07] a month keeps its prices; a component that they do not have is free', () => {
  const [requests] = DEFAULT_PRICES
  const stored = readPrices(JSON.stringify([{ ...requests, microUsd: 7 }]))
  assert.deepEqual(
    stored.map(({ microUsd }) => microUsd),
    [7, 0, 0, 0, 0, 0, 0, 0],
  )
})
