import { LIMITS } from '@svc/contract/common/limits'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { cents } from '../../format.ts'
import { newId } from '../../platform.ts'
import { address } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'

const SUGGESTED_CENTS = [1_000, 2_500, 5_000, 10_000]

/** The payment itself is on the page of the payment provider. */
export function TopUpDialog({ onClose }: { onClose: () => void }) {
  const [dollars, setDollars] = useState('25')
  const [isLeaving, setLeaving] = useState(false)
  const [idempotencyKey, setIdempotencyKey] = useState(newId)
  const amount = Math.round(Number(dollars) * 100)
  const isAllowed = amount >= LIMITS.checkoutCentsMin && amount <= LIMITS.checkoutCentsMax
  const change = (text: string) => {
    setDollars(text)
    // Another amount is another payment.
    setIdempotencyKey(newId())
  }
  const pay = useAction(async () => {
    const back = location.origin + address(['billing'])
    const { url } = await call(
      'createCheckout',
      { body: { amount, successUrl: back, cancelUrl: back } },
      { idempotencyKey },
    )
    location.assign(url)
    setLeaving(true)
  })
  return (
    <FormDialog
      title="Add credit"
      about="You pay on the provider’s page. Your balance updates when the payment is confirmed."
      submit={isAllowed ? `Pay ${cents(amount)}` : 'Pay'}
      disabled={!isAllowed}
      action={{ ...pay, busy: pay.busy || isLeaving }}
      onClose={onClose}
    >
      <TextField
        label="Amount in US dollars"
        hint={`${cents(LIMITS.checkoutCentsMin)} to ${cents(LIMITS.checkoutCentsMax)}.`}
        type="number"
        inputMode="decimal"
        step="0.01"
        min={LIMITS.checkoutCentsMin / 100}
        max={LIMITS.checkoutCentsMax / 100}
        value={dollars}
        change={change}
        autofocus
      />
      <div class="row wrap suggestions" role="group" aria-label="Amounts">
        {SUGGESTED_CENTS.map((value) => (
          <button type="button" key={value} class="suggestion" onClick={() => change(String(value / 100))}>
            {cents(value)}
          </button>
        ))}
      </div>
    </FormDialog>
  )
}
