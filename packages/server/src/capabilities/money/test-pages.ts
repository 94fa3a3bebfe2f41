import type { Form, Page, PageResponse } from '../../edge/http/pages.ts'
import { escapeHtml, htmlPage } from '../../platform/http/pages.ts'
import type { Checkouts } from './checkouts.ts'

type TestCheckout = NonNullable<Awaited<ReturnType<Checkouts['readForTest']>>>

/** The payment page of a service without a payment provider. No money is charged. HTML without script. */
export function testCheckoutPages(page: Page, form: Form, checkouts: Checkouts) {
  const path = '/checkout/test/:id'

  page(path, async ({ params: { id = '' } }) => {
    const checkout = await checkouts.readForTest(id)
    return checkout ? paymentPage(checkout) : messagePage('There is no such checkout', NO_CHECKOUT, 404)
  })

  form(path, async ({ params: { id = '' }, form: { action } }) => {
    const checkout = await checkouts.readForTest(id)
    if (!checkout) return messagePage('There is no such checkout', NO_CHECKOUT, 404)
    if (checkout.status !== 'open' || (action !== 'pay' && action !== 'cancel')) return paymentPage(checkout)
    await checkouts.finishTest(checkout, action === 'pay')
    const location = action === 'pay' ? checkout.successUrl : checkout.cancelUrl
    return { status: 303, headers: { Location: location, 'Cache-Control': 'no-store' }, body: '' }
  })

  // The command line uses these as return URLs.
  page('/checkout/done', async () => messagePage('Payment received', 'You can close this page.'))
  page('/checkout/cancelled', async () =>
    messagePage('Payment cancelled', 'Nothing was charged. You can close this page.'),
  )
}

const NO_CHECKOUT = 'The URL is wrong, or the checkout was removed.'
const OVER = {
  paid: 'This checkout is paid. You can close this page.',
  expired: 'This checkout has expired. Start a new one.',
  cancelled: 'This checkout was cancelled. Start a new one.',
}

function paymentPage(checkout: TestCheckout): PageResponse {
  if (checkout.status !== 'open')
    return messagePage('Test checkout', OVER[checkout.status as keyof typeof OVER] ?? '', 410)
  const { body, headers } = htmlPage({
    title: 'Test checkout',
    main: `<h1>Test checkout</h1>
<p><strong>No money moves.</strong> This service has no payment provider, so this page takes its place.</p>
<p>Prepaid credit: <strong>$${escapeHtml((checkout.amount / 100).toFixed(2))}</strong></p>
<form method="post"><button name="action" value="pay">Simulate the payment</button></form>
<form method="post"><div class="choices"><button name="action" value="cancel">Cancel</button></div></form>`,
  })
  // A browser checks redirects after a form against form-action, too; this form ends at the page of the developer.
  const policy = headers['Content-Security-Policy']?.replace(/ form-action [^;]*;/, '') ?? ''
  return { body, headers: { ...headers, 'Content-Security-Policy': policy } }
}

const messagePage = (title: string, text: string, status = 200): PageResponse => ({
  ...htmlPage({ title, main: `<h1>${escapeHtml(title)}</h1><p role="status">${escapeHtml(text)}</p>` }),
  status,
})
