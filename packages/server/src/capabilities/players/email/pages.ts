import { LIMITS } from '@svc/contract/common/limits'

import type { Form, Page, PageResponse } from '../../../edge/http/pages.ts'
import { ApiError } from '../../../platform/api-error.ts'
import type { Environment } from '../../../platform/environment.ts'
import type { EmailAccounts } from './accounts.ts'
import { languageOf, type Messages, messagesFor } from './messages.ts'
import { donePage, formPage, messagePage, type PageApp, type PageKind } from './page-html.ts'

type EmailPageDeps = {
  emails: Pick<EmailAccounts, 'verify' | 'reset' | 'requireLink'>
  /** Undefined if its project was deleted. */
  findEnvironment(environmentId: string): Promise<Environment | undefined>
  findAddress(environment: Environment): Promise<{ name: string; url: string | undefined }>
  /** `features.emailLogin`. */
  isOffered(environment: Environment): Promise<boolean>
  /** The limit per address that the same calls of the API have. */
  enforceRateLimit(address: string): Promise<void>
}

type App = PageApp & { environment: Environment }

/**
 * The pages of links without a redirectUrl (AUT-22). Opening one changes nothing, so that mail scanners cannot invalidate the link;
 * the token stays in the fragment until the button is clicked. Without scripts the reader pastes the link.
 */
export function emailPages(page: Page, form: Form, deps: EmailPageDeps) {
  const { emails, isOffered, enforceRateLimit } = deps

  for (const kind of ['verify', 'reset'] as const) {
    page(`/.auth/${kind}`, async ({ acceptLanguage, query }) => {
      const messages = messagesFor(languageOf(acceptLanguage))
      const app = await appOf(query['env'])
      return app
        ? formPage({ kind, app, messages })
        : { ...messagePage(messages, messages.over), status: 404 }
    })

    form(`/.auth/${kind}`, async ({ acceptLanguage, address, query, form: fields }) => {
      const messages = messagesFor(languageOf(acceptLanguage))
      let app: App | undefined
      try {
        await enforceRateLimit(address)
        app = await appOf(query['env'])
        return await submitted(kind, messages, app, { fields, address })
      } catch (error) {
        return failurePage(error, messages, app)
      }
    })
  }

  async function appOf(environmentId = ''): Promise<App | undefined> {
    const environment = await deps.findEnvironment(environmentId)
    if (!environment) return undefined
    const { name, url } = await deps.findAddress(environment)
    return { environment, environmentId, name, url }
  }

  async function submitted(
    kind: PageKind,
    messages: Messages,
    app: App | undefined,
    { fields, address }: { fields: Record<string, string>; address: string },
  ): Promise<PageResponse> {
    const { token: input = '', password = '', check } = fields
    if (!app) throw new ApiError('invalid_or_expired_token')
    if (!(await isOffered(app.environment))) throw new ApiError('feature_disabled')

    const token = tokenIn(input)
    // The script of the page checks the link before it shows the form.
    if (check !== undefined) {
      await emails.requireLink(app.environment, token, kind)
      return { headers: { 'Cache-Control': 'no-store' }, body: '' }
    }
    if (kind === 'verify') {
      await emails.verify(app.environment, { token })
    } else {
      const isTooShort = !isLongEnough(password)
      if (isTooShort) return { ...formPage({ kind, app, messages, token, isTooShort }), status: 400 }
      await emails.reset(app.environment, { token, password, language: messages.code }, address)
    }
    return donePage(kind, messages, app)
  }
}

function failurePage(error: unknown, messages: Messages, app: App | undefined): PageResponse {
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'rate_limited') return { ...messagePage(messages, messages.tooMany), status: 429 }
  if (code === 'feature_disabled') return { ...messagePage(messages, messages.over, app), status: 403 }
  if (code === 'invalid_or_expired_token')
    return { ...messagePage(messages, messages.over, app), status: 400 }
  throw error
}

/** The token itself, or the whole link. */
const tokenIn = (text: string) => /svc_token=([\w-]+)/.exec(text)?.[1] ?? text.trim()

function isLongEnough(password: string) {
  const length = Array.from(password).length
  return length >= LIMITS.passwordLengthMin && length <= LIMITS.passwordLengthMax
}
