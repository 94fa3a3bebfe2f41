import type { Form, Page } from '../../edge/http/pages.ts'
import { ApiError } from '../../platform/api-error.ts'
import { htmlPage } from '../../platform/http/pages.ts'
import type { Accounts } from './accounts.ts'

type DeveloperPageDeps = {
  accounts: Pick<Accounts, 'requireLink'>
  /** Rejects too many checks of links from one address. */
  enforceRateLimit(address: string): Promise<void>
}

/** The pages that mails link to. The token is in the fragment, and is used only when the button is clicked. */
export function developerPages(page: Page, form: Form, { accounts, enforceRateLimit }: DeveloperPageDeps) {
  page('/dashboard/confirm', async () =>
    htmlPage({
      title: 'Confirm your email address',
      main: `<h1>Confirm your email address</h1><p id="say" role="status">Click the button to confirm your email address.</p>
<form id="form"><button>Confirm</button></form>`,
      script: `${onSubmit('/v1/developers/email/verify', '{ token }', 'Confirmed. You can close this page.')}${CHECK_LINK}`,
    }),
  )

  page('/dashboard/reset', async () =>
    htmlPage({
      title: 'Set a new password',
      main: `<h1>Set a new password</h1><p id="say" role="status">At least 8 characters. You will be signed out on all devices.</p>
<form id="form"><label for="password">New password</label>
<input id="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required><button>Save</button></form>`,
      script: `${onSubmit(
        '/v1/developers/password/reset',
        `{ token, password: document.getElementById('password').value }`,
        'Password saved. You can now sign in.',
      )}${CHECK_LINK}`,
    }),
  )

  for (const [path, kind] of [
    ['/dashboard/confirm', 'verify'],
    ['/dashboard/reset', 'reset'],
  ] as const) {
    form(path, async ({ address, form: fields }) => {
      await enforceRateLimit(address)
      try {
        await accounts.requireLink(fields['token'] ?? '', kind)
        return { headers: { 'Cache-Control': 'no-store' }, body: '' }
      } catch (error) {
        if (error instanceof ApiError && error.code === 'invalid_or_expired_token') return LINK_EXPIRED
        throw error
      }
    })
  }
}

const LINK_EXPIRED = {
  ...htmlPage({
    title: 'This link has expired',
    main: `<h1>This link has expired</h1>
<p>It was already used, has expired, or was replaced by a newer one. Request a new link.</p>`,
  }),
  status: 400,
}

/** Shows the form only if the link still works. If the check fails, the form reports an invalid link when it is submitted. */
const CHECK_LINK = `
form.hidden = true
checkLink()
async function checkLink() {
  try {
    const response = await fetch('', { method: 'POST', body: new URLSearchParams({ token }), signal: AbortSignal.timeout(5000) })
    if (response.status === 400) {
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      document.title = page.title
      document.querySelector('main').replaceWith(page.querySelector('main'))
    }
  } catch {}
  form.hidden = false
}
`

const onSubmit = (path: string, body: string, done: string) => `
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
const form = document.getElementById('form'), say = document.getElementById('say'), button = form.querySelector('button')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  button.disabled = true
  try {
    const answer = await fetch('${path}', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(${body}) })
    const { error } = await answer.json()
    say.textContent = error ? error.message : '${done}'
    if (!error) { form.hidden = true; history.replaceState(null, '', location.pathname) }
    else button.disabled = false
  } catch { say.textContent = 'The service cannot be reached. Try again.'; button.disabled = false }
})
`
