import { setTimeout as pause } from 'node:timers/promises'

import type { CommandGroup } from '../command-line/command-group.ts'
import { cursor, flag, limit, negatedFlag, text } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { openInBrowser } from '../output/open-browser.ts'
import { timeText } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc money …`. */
export function addMoneyCommands(program: CommandGroup) {
  const money = program.group('money', 'your account’s prepaid balance and usage', {
    defaultName: 'balance',
  })
  money.command('balance', 'show the balance', showBalance)
  money.command('usage', 'show a month’s usage and its cost', showUsage, {
    period: text('--period <month>', 'month in UTC, YYYY-MM (default: the current one)'),
    refresh: flag('--refresh', 'charge what is due first'),
  })
  money.command('ledger', 'list balance changes, newest first', showLedger, { limit, cursor })
  money.command('top-up <dollars>', 'open a payment page; in a terminal, wait for the payment', topUp, {
    wait: negatedFlag('--no-wait', 'do not wait for the payment'),
  })
}

const POLL_MS = 2_000

async function showBalance({ calls, out }: Context) {
  const prepaid = await calls.developer('readPrepaid', {})
  const { balance, owed, invite } = prepaid
  out.fields([
    ['balance', dollars(balance)],
    ['owed', owed === 0 ? '' : dollars(owed)],
    ['invite credit', invite === null ? '' : inviteText(invite)],
  ])
  if (owed > 0) out.warn('Functions and relayed voice calls are paused until you top up: svc money top-up 20')
  return prepaid
}

const inviteText = ({ remaining, pending }: { remaining: number; pending: boolean }) =>
  pending ? 'added when you confirm your email address' : `${dollars(remaining)}, included in the balance`

async function showUsage(
  { calls, out }: Context,
  { period, refresh }: { period?: string; refresh?: boolean },
) {
  const query = withoutUndefined({ period, refresh })
  const usage = await calls.developer('readUsage', { query })
  out.table(
    ['COMPONENT', 'QUANTITY', 'UNIT', 'COST'],
    usage.components.map(({ component, quantity, unit, costMicroUsd }) => [
      component,
      quantity.toLocaleString('en-US'),
      unit,
      `$${(costMicroUsd / 1e6).toFixed(6)}`,
    ]),
    'No usage.',
  )
  out.line(`${usage.period}: ${dollars(usage.chargedCents)} charged`)
  return usage
}

async function showLedger({ calls, out }: Context, { limit, cursor }: { limit?: number; cursor?: string }) {
  const query = withoutUndefined({ limit, cursor })
  const ledger = await calls.developer('listLedger', { query })
  out.table(
    ['WHEN', 'TYPE', 'AMOUNT', 'BALANCE', 'DESCRIPTION'],
    ledger.entries.map(({ at, type, amount, balanceAfter, description }) => [
      timeText(at),
      type,
      dollars(amount),
      dollars(balanceAfter),
      description,
    ]),
    'No entries yet.',
  )
  out.nextPage(ledger.nextCursor)
  return ledger
}

/** Opens the payment page. In a terminal the command waits for the payment. */
async function topUp({ calls, out, url, system }: Context, { wait }: { wait: boolean }, amountText: string) {
  const checkout = await calls.developer(
    'createCheckout',
    {
      body: {
        amount: centsIn(amountText),
        successUrl: `${url}/checkout/done`,
        cancelUrl: `${url}/checkout/cancelled`,
      },
    },
    { idempotencyKey: system.randomText() },
  )
  out.info(`Pay ${dollars(checkout.amount)} here: ${checkout.url}`)
  if (!out.isTerminal) return checkout
  openInBrowser(checkout.url)
  if (!wait) return checkout

  out.line('Waiting for the payment; Ctrl-C stops waiting, not the payment.')
  for (let { status } = checkout; ;) {
    if (status === 'paid') break
    if (status !== 'open') throw new Failure('failed', `The payment is ${status}. Nothing was charged.`)
    await pause(POLL_MS)
    ;({ status } = await calls.developer('readCheckout', { params: { id: checkout.id } }))
  }
  const { balance } = await calls.developer('readPrepaid', {})
  out.done(`Paid. Your balance is ${dollars(balance)}`)
  return { ...checkout, status: 'paid' }
}

function centsIn(text: string): number {
  if (!/^\d{1,6}(\.\d{1,2})?$/.test(text))
    throw new Failure('usage', `"${text}" is not an amount in dollars.`, {
      fix: 'For example: svc money top-up 20',
    })
  return Math.round(Number(text) * 100)
}

/** Dollars of an amount in cents. */
export const dollars = (cents: number) => `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`
