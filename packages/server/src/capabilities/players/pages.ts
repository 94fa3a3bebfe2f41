import { LIMITS } from '@svc/contract/limits'

import type { Form, Page, PageAnswer, PageRequest } from '../../edge/http/pages.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import { escapeHtml, htmlPage } from '../../platform/pages.ts'
import type { EmailAccounts } from './email-accounts.ts'
import { languageOf, type Messages, messagesFor } from './messages.ts'

export type EmailPageNeeds = {
  emails: Pick<EmailAccounts, 'verify' | 'reset'>
  /** The app that an environment is, while its project exists. */
  app(environmentId: string): Promise<App | undefined>
  /** `features.emailLogin`. */
  isOffered(environment: Environment): Promise<boolean>
  /** The limit per address that the same calls of the API have. */
  admit(address: string): Promise<void>
}

type App = { environment: Environment; name: string }
type Kind = 'verify' | 'reset'
type Shown = { kind: Kind; app: App; messages: Messages; token?: string; isTooShort?: boolean }

/**
 * Where links without a redirectUrl lead (AUT-22). Opening one changes nothing, so that a mail scanner cannot use it up; the
 * token stays in the fragment until the button is pressed. Without scripts the link is pasted by hand.
 */
export function emailPages(page: Page, form: Form, { emails, app, isOffered, admit }: EmailPageNeeds) {
  for (const kind of ['verify', 'reset'] as const) {
    page(`/.auth/${kind}`, async (request) => {
      const messages = messagesFor(languageOf(request.acceptLanguage))
      const found = await app(request.query['env'] ?? '')
      return found ? formPage({ kind, app: found, messages }) : refusal(messages, 'over', 404)
    })

    form(`/.auth/${kind}`, async (request) => {
      const messages = messagesFor(languageOf(request.acceptLanguage))
      return submitted(kind, messages, request).catch((error: unknown) => {
        const code = error instanceof ApiError ? error.code : undefined
        if (code === 'rate_limited') return refusal(messages, 'tooMany', 429)
        if (code === 'feature_disabled') return refusal(messages, 'over', 403)
        if (code === 'invalid_or_expired_token') return refusal(messages, 'over', 400)
        throw error
      })
    })
  }

  async function submitted(
    kind: Kind,
    messages: Messages,
    { address, query, form: fields }: PageRequest & { form: Record<string, string> },
  ): Promise<PageAnswer> {
    await admit(address)
    const found = await app(query['env'] ?? '')
    if (!found) throw new ApiError('invalid_or_expired_token')
    if (!(await isOffered(found.environment))) throw new ApiError('feature_disabled')

    const { token: given = '', password = '' } = fields
    const token = tokenIn(given)
    if (kind === 'verify') {
      await emails.verify(found.environment, { token })
    } else {
      const isTooShort = !isLongEnough(password)
      if (isTooShort) return { ...formPage({ kind, app: found, messages, token, isTooShort }), status: 400 }
      await emails.reset(found.environment, { token, password })
    }
    return saying(messages, messages[kind].done, found)
  }
}

/** The token itself, or the whole link pasted by hand. */
const tokenIn = (text: string) => /svc_token=([\w-]+)/.exec(text)?.[1] ?? text.trim()

function isLongEnough(password: string) {
  const length = Array.from(password).length
  return length >= LIMITS.passwordLengthMin && length <= LIMITS.passwordLengthMax
}

function formPage({ kind, app, messages, token = '', isTooShort = false }: Shown) {
  const { title, page } = messages[kind]
  return htmlPage({
    language: messages.code,
    title,
    main: `<p>${escapeHtml(app.name)}</p>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(page.text)}</p>
<form method="post" action="?env=${escapeHtml(app.environment.id)}">
<div id="paste">
<label for="token">${escapeHtml(messages.pasteLabel)}</label>
<input id="token" name="token" value="${escapeHtml(token)}" required autocomplete="off" spellcheck="false" aria-describedby="hint">
<p id="hint"><small>${escapeHtml(messages.pasteHint)}</small></p>
</div>
${kind === 'reset' ? passwordField(messages, isTooShort) : ''}
<button>${escapeHtml(page.button)}</button>
</form>`,
    script: FILL_IN,
  })
}

const passwordField = ({ reset: { label, lengthRule } }: Messages, isTooShort: boolean) =>
  `<label for="password">${escapeHtml(label)}</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${LIMITS.passwordLengthMin}" maxlength="${LIMITS.passwordLengthMax}" required autofocus aria-describedby="rule"${isTooShort ? ' aria-invalid="true"' : ''}>
<p id="rule"${isTooShort ? ' role="alert"' : ''}><small>${escapeHtml(lengthRule)}</small></p>`

/** Of all the page does, only this needs a script. */
const FILL_IN = `
const field = document.getElementById('token')
field.value = new URLSearchParams(location.hash.slice(1)).get('svc_token') ?? field.value
document.getElementById('paste').hidden = field.value !== ''
`

const refusal = (messages: Messages, kind: 'over' | 'tooMany', status: number): PageAnswer => ({
  ...saying(messages, messages[kind]),
  status,
})

const saying = (messages: Messages, { title, text }: { title: string; text: string }, app?: App) =>
  htmlPage({
    language: messages.code,
    title,
    main: `${app ? `<p>${escapeHtml(app.name)}</p>\n` : ''}<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>`,
  })
