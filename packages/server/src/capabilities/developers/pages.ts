import type { Page } from '../../edge/http/pages.ts'
import { htmlPage } from '../../platform/pages.ts'

/** The places that mails and the start-up lines point to. The token stays in the fragment, and only a button press uses it up. */
export function developerPages(page: Page) {
  page('/dashboard', async () =>
    htmlPage({
      title: 'Dashboard',
      main: `<h1>No dashboard yet</h1>
<p>The dashboard is not finished yet. All its data is available through the API: see <a href="/docs">the API page</a>.</p>`,
    }),
  )

  page('/setup', async () =>
    newAccountPage('Set up this service', 'Create the first account. It is the operator’s.'),
  )
  page('/join', async () => newAccountPage('Create a developer account', 'You were invited to this service.'))

  page('/dashboard/confirm', async () =>
    htmlPage({
      title: 'Confirm your email address',
      main: `<h1>Confirm your email address</h1><p id="say" role="status">Click the button to confirm your email address.</p>
<form id="form"><button>Confirm</button></form>`,
      script: onSubmit('/v1/developers/email/verify', '{ token }', 'Confirmed. You can close this page.'),
    }),
  )

  page('/dashboard/reset', async () =>
    htmlPage({
      title: 'Set a new password',
      main: `<h1>Set a new password</h1><p id="say" role="status">At least 8 characters. You will be signed out on all devices.</p>
<form id="form"><label for="password">New password</label>
<input id="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required><button>Save</button></form>`,
      script: onSubmit(
        '/v1/developers/password/reset',
        `{ token, password: document.getElementById('password').value }`,
        'Password saved. You can now sign in.',
      ),
    }),
  )
}

const newAccountPage = (title: string, about: string) =>
  htmlPage({
    title,
    main: `<h1>${title}</h1><p id="say" role="status">${about}</p>
<form id="form"><label for="email">Email address</label>
<input id="email" type="email" autocomplete="username" maxlength="254" required>
<label for="password">Password, at least 8 characters</label>
<input id="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required><button>Create account</button></form>`,
    script: `${onSubmit(
      '/v1/developers/signup',
      `{ invitation: token, email: email.value, password: document.getElementById('password').value }`,
      'Your account is ready. Log in with it: svc login',
    )}
const email = document.getElementById('email')
email.value = new URLSearchParams(location.hash.slice(1)).get('email') ?? ''
`,
  })

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
