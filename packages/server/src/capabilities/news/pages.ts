import type { Form, Page, PageResponse } from '../../edge/http/pages.ts'
import { ApiError } from '../../platform/api-error.ts'
import { escapeHtml, htmlPage } from '../../platform/http/pages.ts'
import { type Messages, messagesFor } from './messages.ts'
import type { OptIn } from './opt-in.ts'

type NewsPageDeps = {
  news: Pick<OptIn, 'confirm' | 'unsubscribe'>
  service: string
  /** The limit per address that the same calls of the API have. */
  enforceRateLimit(address: string): Promise<void>
}

/**
 * The pages that news mails link to. Opening one changes nothing, so that mail scanners neither subscribe nor unsubscribe a reader;
 * the token stays in the fragment until the button is clicked. Without scripts the reader pastes the link.
 */
export function newsPages(page: Page, form: Form, { news, service, enforceRateLimit }: NewsPageDeps) {
  oneClick(page, form, news.unsubscribe)
  const kinds = {
    confirm: {
      title: ({ confirm }: Messages) => confirm.title(service),
      text: ({ label }: Messages) => label(service),
      use: news.confirm,
    },
    unsubscribe: {
      title: ({ unsubscribe }: Messages) => unsubscribe.title,
      text: ({ unsubscribe }: Messages) => unsubscribe.text(service),
      use: news.unsubscribe,
    },
  }

  for (const kind of ['confirm', 'unsubscribe'] as const) {
    const { title, text, use } = kinds[kind]

    page(`/.news/${kind}`, async ({ query }) => {
      const messages = messagesFor(query['language'] ?? 'en')
      return htmlPage({
        language: messages.code,
        title: title(messages),
        main: formHtml(messages, title(messages), text(messages), messages[kind].button),
        script: FILL_IN,
      })
    })

    form(`/.news/${kind}`, async ({ query, address, form: { token = '' } }) => {
      const messages = messagesFor(query['language'] ?? 'en')
      const saying = (sentence: string, status = 200): PageResponse => ({
        ...htmlPage({
          language: messages.code,
          title: title(messages),
          main: `<h1>${escapeHtml(service)}</h1>\n<p role="status">${escapeHtml(sentence)}</p>`,
        }),
        status,
      })
      try {
        await enforceRateLimit(address)
        await use({ token: tokenIn(token) })
        return saying(messages[kind].done)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'rate_limited') return saying(messages.tooMany, 429)
        if (error instanceof ApiError && error.code === 'invalid_or_expired_token')
          return saying(messages.over, 400)
        throw error
      }
    })
  }
}

/**
 * The URL that a mail program calls when its reader clicks unsubscribe (RFC 8058): a POST without a page, so the token is in the
 * path. A GET, which scanners send, redirects to the page and changes nothing. Mail services call for all of their users from a few
 * addresses, so there is no limit per address; the token is verified before any lookup.
 */
function oneClick(page: Page, form: Form, unsubscribe: OptIn['unsubscribe']) {
  page('/.news/one-click/:token', async ({ params: { token = '' } }) => ({
    status: 303,
    headers: { Location: `/.news/unsubscribe#token=${encodeURIComponent(token)}` },
    body: '',
  }))
  form('/.news/one-click/:token', async ({ params: { token = '' } }) => {
    await unsubscribe({ token })
    return { type: 'text/plain; charset=utf-8', body: 'unsubscribed' }
  })
}

/** The token itself, or the whole link. */
const tokenIn = (text: string) => /#token=([\w.-]+)/.exec(text)?.[1] ?? text.trim()

const formHtml = (
  messages: Messages,
  title: string,
  text: string,
  button: string,
) => `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<form method="post" action="?language=${messages.code}">
<div id="paste">
<label for="token">${escapeHtml(messages.pasteLabel)}</label>
<input id="token" name="token" required autocomplete="off" spellcheck="false" aria-describedby="hint">
<p id="hint"><small>${escapeHtml(messages.pasteHint)}</small></p>
</div>
<button>${escapeHtml(button)}</button>
</form>`

/** Fills the token into the form: the only part of the page that needs a script. */
const FILL_IN = `
const field = document.getElementById('token')
field.value = new URLSearchParams(location.hash.slice(1)).get('token') ?? field.value
document.getElementById('paste').hidden = field.value !== ''
`
