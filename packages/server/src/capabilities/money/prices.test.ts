import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { USAGE_COMPONENTS } from '@svc/contract/money'

import { costsOf, DEFAULT_PRICES, NO_PRICES, readPrices } from './prices.ts'

const GUIDE = join(import.meta.dirname, '../../../../../docs/guide/money.md')
const PER: Record<string, (perUnit: number) => number> = {
  'per million': (micro) => micro * 1_000_000,
  'per GiB': (micro) => micro * 2 ** 30,
  'per GiB and month (730 hours)': (micro) => micro * 2 ** 30 * 730,
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
