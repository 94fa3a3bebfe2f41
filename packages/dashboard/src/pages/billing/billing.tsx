import type { LedgerEntry, Prepaid, Usage } from '@svc/contract/money'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { cents, counted, microUsd, month, number, roughUsd } from '../../format.ts'
import { download, today } from '../../platform.ts'
import { refresh, useCall } from '../../queries.ts'
import { submits, useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { BillingIcon, DownloadIcon, PlusIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago, Card, Chip, Figure } from '../../ui/parts.tsx'
import { EmptyState, Loaded, LoadedCard } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import { cell } from '../audit/csv.ts'
import { DayCosts } from './day-costs.tsx'
import { TopUpDialog } from './top-up-dialog.tsx'

const PAGE_SIZE = 25

/** `2026-11` → the month before, `2026-10`. */
function monthBefore(period: string): string {
  const [year = 0, at = 0] = period.split('-').map(Number)
  return at === 1 ? `${year - 1}-12` : `${year}-${String(at - 1).padStart(2, '0')}`
}

/** Balance, cost of the month against the one before, and every change of the balance. */
export default function Billing() {
  const prepaid = useCall('readPrepaid', {})
  const thisMonth = today().slice(0, 7)
  const [period, setPeriod] = useState(thisMonth)
  const usage = useCall('readUsage', { query: { period } }, { keepsPrevious: true })
  const before = useCall('readUsage', { query: { period: monthBefore(period) } }, { keepsPrevious: true })
  const [isToppingUp, setToppingUp] = useState(false)
  return (
    <Page
      title="Billing"
      side={
        <Button kind="main" icon={PlusIcon} onClick={() => setToppingUp(true)}>
          Add credit
        </Button>
      }
    >
      <Loaded answer={prepaid} lines={3} inCard>
        {(money) => (
          <Figures money={money} usage={usage.data} before={before.data} isThisMonth={period === thisMonth} />
        )}
      </Loaded>
      <div class="two-one">
        <LoadedCard
          title={`Cost in ${month(`${period}-01`)}`}
          side={
            <span class="row">
              <Button small onClick={() => setPeriod(monthBefore(period))}>
                Previous month
              </Button>
              {period !== thisMonth && (
                <Button small onClick={() => setPeriod(thisMonth)}>
                  This month
                </Button>
              )}
            </span>
          }
          answer={usage}
          lines={5}
        >
          {(data) => <UsageTable usage={data} before={before.data} />}
        </LoadedCard>
        <InviteCode money={prepaid.data} />
      </div>
      {usage.data && <DayCosts usage={usage.data} />}
      <Ledger />
      {isToppingUp && <TopUpDialog onClose={() => setToppingUp(false)} />}
    </Page>
  )
}

type FiguresProps = {
  money: Prepaid
  usage: Usage | undefined
  before: Usage | undefined
  isThisMonth: boolean
}

const Figures = ({ money, usage, before, isThisMonth }: FiguresProps) => (
  <dl class="figures card is-four">
    <Figure
      title="Balance"
      note={
        money.invite &&
        (money.invite.pending
          ? 'invite credit after you confirm your email'
          : `includes ${cents(money.invite.remaining)} invite credit`)
      }
    >
      {cents(money.balance)}
    </Figure>
    <Figure
      title="Owed"
      tone={money.owed > 0 ? 'is-bad' : ''}
      note={money.owed > 0 && 'paid features are paused until you pay'}
    >
      {cents(money.owed)}
    </Figure>
    <Figure title={isThisMonth ? 'This month so far' : 'That month'}>
      {usage ? roughUsd(usage.totalMicroUsd) : '–'}
    </Figure>
    <Figure title="Previous month">{before ? roughUsd(before.totalMicroUsd) : '–'}</Figure>
  </dl>
)

const UsageTable = ({ usage, before }: { usage: Usage; before: Usage | undefined }) => {
  const rows = usage.components
    .map((row) => ({
      ...row,
      before: before?.components.find(({ component }) => component === row.component)?.costMicroUsd ?? 0,
    }))
    .filter((row) => row.quantity > 0 || row.before > 0)
  if (rows.length === 0)
    return (
      <EmptyState icon={BillingIcon} title="Nothing used">
        Functions, relayed voice and shared sign-in cost money. Everything else is free.
      </EmptyState>
    )
  const exportCsv = () =>
    download(
      `usage-${usage.period}.csv`,
      'text/csv',
      [
        ['period', 'component', 'quantity', 'unit', 'costMicroUsd'],
        ...rows.map((row) => [
          usage.period,
          row.component,
          `${row.quantity}`,
          row.unit,
          `${row.costMicroUsd}`,
        ]),
      ]
        .map((row) => row.map(cell).join(','))
        .join('\r\n'),
    )
  return (
    <>
      <table class="table usage">
        <TableHead
          columns={['Component', ['Used', 'num'], ['Cost', 'num'], ['Previous month', 'num col-joined']]}
        />
        <tbody>
          {rows.map(({ component, quantity, unit, costMicroUsd, before: cost }) => (
            <tr key={component}>
              <td>
                <code>{component}</code>
              </td>
              <td class="num tabular soft">
                {unit === 'ms' ? `${number(quantity)} ms` : counted(quantity, unit, `${unit}s`)}
              </td>
              <td class="num tabular">{microUsd(costMicroUsd)}</td>
              <td class="num tabular faint col-joined">{microUsd(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <footer class="table-foot">
        <span class="tiny faint grow">Months are in UTC. Unused components are hidden.</span>
        <Button small icon={DownloadIcon} onClick={exportCsv}>
          CSV
        </Button>
      </footer>
    </>
  )
}

function InviteCode({ money }: { money: Prepaid | undefined }) {
  const [code, setCode] = useState('')
  const redeem = useAction(async () => {
    const { credited, pending } = await call('redeemInviteCode', { body: { code: code.trim() } })
    notify(pending ? 'The credit is added when you confirm your email.' : `${cents(credited)} added.`)
    setCode('')
    refresh('readPrepaid', 'listLedger')
  }, notifyError)
  return (
    <Card title="Invite code">
      {money?.invite ? (
        <p class="small soft">
          You redeemed a code for {cents(money.invite.granted)}; {cents(money.invite.remaining)} left.
        </p>
      ) : (
        <form class="form" onSubmit={submits(redeem.run)}>
          <TextField
            label="Code"
            hint="Credit toward usage, once per account."
            value={code}
            maxLength={128}
            autocomplete="off"
            change={setCode}
          />
          <div>
            <Button type="submit" busy={redeem.busy} disabled={code.trim() === ''}>
              Redeem
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}

const TONES: Record<LedgerEntry['type'], 'good' | 'neutral' | 'warn' | 'accent'> = {
  topup: 'good',
  invite: 'accent',
  usage: 'neutral',
  refund: 'warn',
  adjustment: 'warn',
}

function Ledger() {
  const cursors = useCursors<string>()
  const answer = useCall(
    'listLedger',
    { query: { limit: PAGE_SIZE, ...cursors.query } },
    { keepsPrevious: true },
  )
  return (
    <LoadedCard
      title="Transactions"
      answer={answer}
      lines={5}
      foot={<ListFoot cursors={cursors} next={answer.data?.nextCursor} note="Newest first" />}
    >
      {({ entries }) =>
        entries.length === 0 ? (
          <EmptyState icon={BillingIcon} title="No transactions yet">
            Top-ups and charges appear here.
          </EmptyState>
        ) : (
          <table class="table ledger">
            <TableHead columns={['What', ['When', 'col-joined'], ['Amount', 'num'], ['Balance', 'num']]} />
            <tbody>
              {entries.map(({ id, at, type, amount, balanceAfter, description }) => (
                <tr key={id}>
                  <td>
                    <span class="row">
                      <Chip tone={TONES[type]}>{type}</Chip>
                      <span class="cut">{description}</span>
                    </span>
                  </td>
                  <td class="soft col-joined">
                    <Ago iso={at} />
                  </td>
                  <td class="num tabular">{cents(amount)}</td>
                  <td class="num tabular soft">{cents(balanceAfter)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </LoadedCard>
  )
}
