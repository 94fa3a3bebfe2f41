import type { Form, Page, PageResponse } from '../../edge/http/pages.ts'
import type { ApiError } from '../../platform/api-error.ts'
import { escapeHtml, htmlPage } from '../../platform/http/pages.ts'
import type { Return, SignIn } from './sign-in.ts'

/** The pages to which providers send the browser back: most with a redirect, Apple with a form. */
export function callbackPages(page: Page, form: Form, signIn: SignIn) {
  const path = '/v1/auth/oauth/:provider/callback'
  const answer = async (provider: string | undefined, parameters: Record<string, string>) => {
    const back = await signIn.callback(provider ?? '', parameters)
    return back ? goBack(back) : EXPIRED
  }
  page(path, ({ params, query }) => answer(params['provider'], query))
  // Apple's page sends the form.
  form(path, ({ params, form: sent }) => answer(params['provider'], sent), { anyOrigin: true })
}

function goBack({ redirectUrl, mode, fragment }: Return): PageResponse {
  const { origin } = new URL(redirectUrl)
  const address = `${redirectUrl}#${fragment}`
  // A custom scheme has no origin to which a message could be sent.
  if (mode === 'popup' && origin !== 'null') return popupPage(address, origin, fragment)
  return { status: 302, headers: { Location: address, 'Cache-Control': 'no-store' }, body: '' }
}

/** Posts `#svc_code=…` or `#svc_error=…` to the window that opened this one, if that is a page of the app. */
const popupPage = (address: string, origin: string, fragment: string): PageResponse =>
  htmlPage({
    title: 'Signed in',
    main: `<h1>Back to the app</h1><p>You can close this window or <a href="${escapeHtml(address)}">continue here</a>.</p>`,
    script: `
if (window.opener) { window.opener.postMessage(${inScript(`#${fragment}`)}, ${inScript(origin)}); window.close() }
else location.replace(${inScript(address)})
`,
  })

/** For a person who opened a link that starts a sign-in. Shows no part of the link, because an attacker may have written it. */
export function failurePage(error: ApiError): PageResponse {
  const { code, status, message, details } = error
  const retryAfterSeconds = details?.['retryAfterSeconds']
  const { body, headers } = htmlPage({
    title: 'Sign-in',
    main: `<h1>Sign-in is not available</h1>
<p>Go back to the app and try again. If this happens again, tell the developer of the app:</p>
<p><code>${code}</code> ${escapeHtml(message)}</p>`,
  })
  const retryAfter = typeof retryAfterSeconds === 'number' ? { 'Retry-After': `${retryAfterSeconds}` } : {}
  return { status, headers: { ...headers, ...retryAfter }, body }
}

const inScript = (text: string) => JSON.stringify(text).replace(/[<\u2028\u2029]/g, escapeInScript)
const escapeInScript = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const EXPIRED: PageResponse = {
  ...htmlPage({
    title: 'Sign-in',
    main: `<h1>This sign-in has expired</h1><p>It took too long, or this page was opened twice. Go back to the app and sign in again.</p>`,
  }),
  status: 400,
}
