import { LIMITS } from '@svc/contract/common/limits'

import { escapeHtml, htmlPage } from '../../../platform/http/pages.ts'
import type { Messages } from './messages.ts'

export type PageKind = 'verify' | 'reset'
/** `url` is undefined if the URL of the app is not known. */
export type PageApp = { environmentId: string; name: string; url: string | undefined }

type FormPage = { kind: PageKind; app: PageApp; messages: Messages; token?: string; isTooShort?: boolean }

export function formPage({ kind, app, messages, token = '', isTooShort = false }: FormPage) {
  const { title, page } = messages[kind]
  return htmlPage({
    language: messages.code,
    title,
    main: `<p>${escapeHtml(app.name)}</p>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(page.text)}</p>
<form method="post" action="?env=${escapeHtml(app.environmentId)}">
<div id="paste">
<label for="token">${escapeHtml(messages.pasteLabel)}</label>
<input id="token" name="token" value="${escapeHtml(token)}" required autocomplete="off" spellcheck="false" aria-describedby="hint">
<p id="hint"><small>${escapeHtml(messages.pasteHint)}</small></p>
</div>
${kind === 'reset' ? passwordField(messages, isTooShort) : ''}
<button>${escapeHtml(page.button)}</button>
</form>`,
    script: FILL_IN_AND_CHECK,
  })
}

const passwordField = ({ reset: { label, lengthRule } }: Messages, isTooShort: boolean) =>
  `<label for="password">${escapeHtml(label)}</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${LIMITS.passwordLengthMin}" maxlength="${LIMITS.passwordLengthMax}" required autofocus aria-describedby="rule"${isTooShort ? ' aria-invalid="true"' : ''}>
<p id="rule"${isTooShort ? ' role="alert"' : ''}><small>${escapeHtml(lengthRule)}</small></p>`

/** Shows the form only if the link still works. If the check fails, the form reports an invalid link when it is submitted. */
const FILL_IN_AND_CHECK = `
const field = document.getElementById('token')
const form = field.form
field.value = new URLSearchParams(location.hash.slice(1)).get('svc_token') ?? field.value
document.getElementById('paste').hidden = field.value !== ''
if (field.value !== '') check()
async function check() {
  form.hidden = true
  try {
    const body = new URLSearchParams({ token: field.value, check: '1' })
    const response = await fetch('', { method: 'POST', body, signal: AbortSignal.timeout(5000) })
    if (response.status === 400 || response.status === 403) {
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      document.title = page.title
      document.querySelector('main').replaceWith(page.querySelector('main'))
    }
  } catch {}
  form.hidden = false
  form.querySelector('[autofocus]')?.focus()
}
`

/** Notifies open pages of the app in this browser immediately; see watchEmail in the SDK. */
const TELL_OPEN_PAGES = `new BroadcastChannel('svc.email').postMessage('verified')`

export const donePage = (kind: PageKind, messages: Messages, app: PageApp) =>
  messagePage(messages, messages[kind].done, app, kind === 'verify' ? { script: TELL_OPEN_PAGES } : {})

export const messagePage = (
  messages: Messages,
  { title, text }: { title: string; text: string },
  app?: PageApp,
  more: { script?: string } = {},
) =>
  htmlPage({
    language: messages.code,
    title,
    main: `${app ? `<p>${escapeHtml(app.name)}</p>\n` : ''}<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>${app?.url ? `\n<p><a href="${escapeHtml(app.url)}">${escapeHtml(messages.back(app.name))}</a></p>` : ''}`,
    ...more,
  })
