import type { Form, Page, PageResponse } from '../../edge/http/pages.ts'
import { escapeHtml, htmlPage } from '../../platform/http/pages.ts'
import { type AuthorizationRequest, TEST_ACCOUNTS, type TestProvider } from './test-provider.ts'

/** HTML without script that loads nothing else: it works offline and in every browser. */
export function testProviderPages(page: Page, form: Form, testProvider: TestProvider) {
  const path = `${testProvider.path}/authorize`

  page(path, async ({ query }) => {
    const authorization = await testProvider.read(query)
    return authorization ? choicePage(authorization, query) : NOT_OFFERED
  })

  // What it sends is bound to the sign-in that the game has begun, with its challenge: a page can only complete its own.
  form(path, answerChoice, { anyOrigin: true })

  async function answerChoice({ form: sent }: { form: Record<string, string> }): Promise<PageResponse> {
    const authorization = await testProvider.read(sent)
    if (!authorization) return NOT_OFFERED
    const name = testProvider.readName(sent['account'] ?? sent['name'] ?? '')
    if (name === undefined) return choicePage(authorization, sent)
    const headers = { Location: await testProvider.signIn(authorization, name), 'Cache-Control': 'no-store' }
    return { status: 302, headers, body: '' }
  }

  function choicePage(authorization: AuthorizationRequest, parameters: Record<string, string>): PageResponse {
    const request = REQUEST.map(
      (name) => `<input type="hidden" name="${name}" value="${escapeHtml(parameters[name] ?? '')}">`,
    ).join('')
    const formWith = (inner: string) => `<form method="post" action="${path}">${request}${inner}</form>`
    const accounts = TEST_ACCOUNTS.map((name) => `<button name="account" value="${name}">${name}</button>`)

    const { body, headers } = htmlPage({
      title: 'Test sign-in',
      main: `<h1>Test sign-in</h1>
<p><strong>This is not ${TITLES[authorization.provider]}.</strong> This is the test provider for development. Choose a test account.</p>
${formWith(`<div class="choices">${accounts.join('')}</div>`)}
${formWith(`<label for="name">Or enter another name</label>
<input id="name" name="name" maxlength="32" autocomplete="off" required><button>Sign in</button>`)}
<p><a href="${escapeHtml(testProvider.cancel(authorization))}">Cancel</a></p>`,
    })
    // Browsers also check redirects after a form against form-action, and this form redirects to the app, which may be on any host.
    const policy = headers['Content-Security-Policy']?.replace(/ form-action [^;]*;/, '') ?? ''
    return { body, headers: { ...headers, 'Content-Security-Policy': policy } }
  }
}

const TITLES = { google: 'Google', discord: 'Discord', apple: 'Apple', x: 'X' }

const REQUEST = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
]

const NOT_OFFERED: PageResponse = {
  ...htmlPage({
    title: 'Test sign-in',
    main: `<h1>Nothing to sign in to</h1><p>No development environment of this service asks for this test sign-in.</p>`,
  }),
  status: 404,
}
