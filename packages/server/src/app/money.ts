import { LIMITS } from '@svc/contract/common/limits'

import { createAccountStore } from '../capabilities/developers/index.ts'
import {
  createBalance,
  createCheckouts,
  createCheckoutStore,
  createInvites,
  createInviteStore,
  createLedger,
  createLedgerStore,
  createMeter,
  createOverdue,
  createPaymentEvents,
  createUsage,
  createUsageStore,
  createVerify,
  DEFAULT_PRICES,
  isOverdue,
  lowMail,
  mailAbout,
  moneyRoutes,
  suspendedMail,
  testCheckoutPages,
} from '../capabilities/money/index.ts'
import { createProjectStore } from '../capabilities/projects/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import { DAY_MS } from '../platform/clock.ts'
import type { Environment } from '../platform/environment.ts'
import { hourly, hourlyRemoval } from '../platform/jobs/jobs.ts'
import { runSequentially } from '../platform/jobs/run-sequentially.ts'
import { normalisedEmail } from '../platform/mail/address.ts'
import { single } from '../platform/metrics/metrics.ts'
import type { Foundation, Mounts } from './foundation.ts'

export type Money = ReturnType<typeof buildMoney>

/** Topics of the bus: a developer became overdue or has paid; the number of differences of the last verification. */
const OVERDUE_CHANGED = 'money-overdue'
const VERIFIED = 'money-verified'

/** Prepaid money: ledger, checkouts, usage, invite codes, and who is overdue. */
export function buildMoney(foundation: Foundation) {
  const { tools, db, bus, clock, ids, outbox, payments, revocations, background, log } = foundation
  const { rateLimits, prices } = foundation.settings
  const isCharged = payments !== undefined
  const developers = createAccountStore(db)
  const projects = createProjectStore(db)

  const ledgerStore = createLedgerStore(db)
  const ledger = createLedger(ledgerStore, {
    ...tools,
    async noteChange(transaction, change) {
      const { developerId, before, after } = change
      if (isOverdue(before) !== isOverdue(after))
        await revocations.note(transaction, { kind: 'money', environmentId: null, subject: developerId })
      const about = mailAbout(change)
      const to = about && (await developers.in(transaction).find(developerId))?.email
      if (to !== undefined)
        await outbox.send(transaction, about === 'low' ? lowMail(to, change) : suspendedMail(to, change))
    },
    announce({ developerId, before, after }) {
      if (isOverdue(before) === isOverdue(after)) return
      background.run(() => bus.publish(OVERDUE_CHANGED, developerId))
    },
  })
  const overdue = createOverdue(ledgerStore, { isCharged, isOverdue: ledger.isOverdue })
  bus.subscribe(OVERDUE_CHANGED, (developerId) => background.run(() => overdue.check(developerId)))

  const invites = createInvites(createInviteStore(db), {
    ...tools,
    ledger,
    changeMoney: ledgerStore.change,
    lockMoney: ledgerStore.lock,
    isEmailConfirmed: async (transaction, developerId) =>
      (await developers.in(transaction).find(developerId))?.emailVerifiedAt != null,
    wrongCodesPerHourMax: rateLimits === 'off' ? Infinity : LIMITS.wrongInviteCodesPerHourMax,
  })
  const balance = createBalance({ ledger, invites, isCharged })

  const checkoutStore = createCheckoutStore(db)
  const events =
    payments &&
    createPaymentEvents(checkoutStore, {
      ledger,
      clock,
      payments,
      reportRefused: (problem) =>
        log.error(problem, 'a payment does not match its checkout and was not booked'),
    })
  const checkouts = createCheckouts(checkoutStore, {
    ...tools,
    ledger,
    provider: payments && events && { payments, events },
    reportFailure: (failure) => log.warn(failure, 'the payment provider failed'),
  })

  const usageStore = createUsageStore(db)
  const meter = createMeter(usageStore, {
    clock,
    ownerOf: projects.ownerOfEnvironment,
    reportLost: (problem) => log.warn(problem, 'usage could not be written and is not charged'),
  })
  foundation.events.on('owner.changed', async () => {
    await foundation.events.emit('usage.charging')
    await meter.ownerChanged()
  })
  const usage = createUsage(usageStore, {
    ...tools,
    ledger,
    meter,
    collectUsage: () => foundation.events.emit('usage.charging'),
    prices: DEFAULT_PRICES.map((price) => ({
      ...price,
      ...prices.find(({ component }) => component === price.component),
    })),
    isCharged,
  })

  const verification = createVerify(ledgerStore, {
    clock,
    checkouts: checkoutStore,
    usage: usageStore,
    payments,
  })
  /** Polls open checkouts first: a payment whose event is on its way is not a difference. */
  async function verify() {
    await checkouts.askForOpen()
    return verification.verifyAll()
  }
  let mismatches: number | undefined
  bus.subscribe(VERIFIED, (count) => void (mismatches = Number(count)))
  async function verifyNightly() {
    const verified = await verify()
    mismatches = verified.mismatches.length
    background.run(() => bus.publish(VERIFIED, String(verified.mismatches.length)))
    for (const mismatch of verified.mismatches)
      log.error({ mismatch }, 'the sums of the money ledger do not match')
  }

  const ownerOf = async ({ projectId }: Pick<Environment, 'projectId'>) =>
    (await projects.ownerOf(projectId)) ?? ''

  return {
    invites,
    verify,
    /** Every difference in the chains of the ledger, without asking the payment provider. */
    verifyLedger: async () => (await verification.verifyLedger()).mismatches,
    /** For corrections by the operator; cents may be below 0. Undefined if there is no such developer. */
    async adjust(email: string, cents: number, reason: string) {
      const developer = await developers.findByEmail(normalisedEmail(email))
      if (!developer) return undefined
      const reference = `adjustment:${ids('txn')}`
      await ledger.change(developer.id, (book) =>
        book({ type: 'adjustment', cents, reference, description: reason }),
      )
      return balance.read(developer.id)
    },

    /** Adds to the usage of an environment. Cheap: for every request of a metered part. */
    noteUsage: meter.note,
    /** Whether the owner of the environment owes money. Always false if the service charges nothing. */
    isOverdue: async (environment: Pick<Environment, 'projectId'>) =>
      overdue.isOverdue(await ownerOf(environment)),
    /** Whether a developer owes money. Always false if the service charges nothing. */
    owes: overdue.isOverdue,
    /** Charges all usage of a developer that this node knows of. */
    chargeUsage: usage.chargeNow,
    close: balance.close,
    /** With the test checkout everybody can have credit; the operator starts with some, to try functions at once. */
    async creditSetUp(transaction: Transaction, developerId: string): Promise<void> {
      if (payments?.provider !== 'test') return
      await ledger.changeWithin(transaction, developerId, (book) =>
        book({
          type: 'adjustment',
          cents: LIMITS.testCreditCents,
          reference: `test-credit:${developerId}`,
          description: 'Test credit: this service has no payment provider',
        }),
      )
    },
    /** Calls the handler on every node when a developer becomes overdue, or has paid. */
    onSuspension: overdue.onSuspension,
    /** Throws `prepaid_required` if the owner of the environment has no credit or owes money. */
    requirePrepaid: async (environment: Pick<Environment, 'projectId'>) =>
      balance.requirePrepaid(await ownerOf(environment)),
    checkOverdue: overdue.check,

    mount({ route, page, form, metric }: Mounts) {
      moneyRoutes(route, { balance, ledger, checkouts, usage, invites })
      testCheckoutPages(page, form, checkouts)
      metric(single('svc_money_mismatches', () => mismatches))
    },

    everySecond: usage.chargeEarly,
    everyMinute: () => runSequentially([usage.writeAndCharge, overdue.checkAll]),
    jobs: [
      hourly('money.charge', usage.chargeAll),
      hourly('money.checkouts', checkouts.askForOpen),
      hourlyRemoval('money.purge', checkouts.purgeExpired),
      {
        name: 'money.days',
        everyMs: DAY_MS,
        removesByAge: true,
        run: (_: number, stopping: AbortSignal) => usage.purgeOldDays(stopping),
      },
      { name: 'money.old-months', everyMs: DAY_MS, run: usage.chargeOldMonths },
      { name: 'money.verify', everyMs: DAY_MS, run: verifyNightly },
    ],
  }
}
