import { USAGE_COMPONENTS, type UsageComponent } from '@svc/contract/money'

/** `microUsd` for every `per` of the component. */
export type Price = { component: UsageComponent; unit: string; per: number; microUsd: number }
/** The price of every component, in the order of `USAGE_COMPONENTS`. */
export type PriceList = readonly Price[]

export type Quantities = Partial<Record<UsageComponent, number>>

/** The sums of rows by component. */
export function quantitiesOf(rows: readonly { component: string; quantity: number }[]): Quantities {
  const quantities: Record<string, number> = {}
  for (const { component, quantity } of rows) quantities[component] = (quantities[component] ?? 0) + quantity
  return quantities
}

const MILLION = 1_000_000
const GIB = 2 ** 30
const HOURS_PER_MONTH = 730

/** The prices unless SVC_PRICES sets others. */
export const DEFAULT_PRICES: PriceList = [
  { component: 'functions.requests', unit: 'request', per: MILLION, microUsd: 300_000 },
  { component: 'functions.cpuMs', unit: 'ms', per: MILLION, microUsd: 20_000 },
  { component: 'functions.rowsRead', unit: 'row', per: MILLION, microUsd: 1_000 },
  { component: 'functions.rowsWritten', unit: 'row', per: MILLION, microUsd: 1_000_000 },
  { component: 'functions.egressBytes', unit: 'byte', per: GIB, microUsd: 50_000 },
  {
    component: 'functions.storageByteHours',
    unit: 'byte-hour',
    per: GIB * HOURS_PER_MONTH,
    microUsd: 200_000,
  },
  { component: 'voice.relayMinutes', unit: 'minute', per: 1, microUsd: 500 },
  { component: 'xSignIns', unit: 'sign-in', per: 1, microUsd: 0 },
]

/** The prices of a service that charges nothing. */
export const NO_PRICES: PriceList = DEFAULT_PRICES.map((price) => ({ ...price, microUsd: 0 }))

export const MICRO_USD_PER_CENT = 10_000

/** Rounded down per component, in BigInt: the product may exceed 2^53. */
const costOf = ({ per, microUsd }: Price, quantity: number): bigint =>
  (BigInt(quantity) * BigInt(microUsd)) / BigInt(per)

/** The cost of a month by component, and the sum that is due in whole cents. */
export function costsOf(prices: PriceList, quantities: Quantities) {
  let total = 0n
  const components = prices.map((price) => {
    const { component, unit } = price
    const quantity = quantities[component] ?? 0
    const cost = costOf(price, quantity)
    total += cost
    return { component, unit, quantity, costMicroUsd: Number(cost) }
  })
  return { components, totalMicroUsd: Number(total), dueCents: Number(total / BigInt(MICRO_USD_PER_CENT)) }
}

/** A month keeps the prices of its first charge; a component that was added since is free until the next month. */
export function readPrices(text: string): PriceList {
  const stored = JSON.parse(text) as Price[]
  return USAGE_COMPONENTS.map(
    (component, at) => stored.find((price) => price.component === component) ?? (NO_PRICES[at] as Price),
  )
}
