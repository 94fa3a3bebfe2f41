import assert from 'node:assert/strict'
import { test } from 'node:test'

import { checkConfig } from './rules.ts'
import { imageProblem, originProblem, redirectUrlProblem, webhookUrlProblem } from './urls.ts'

const allRight = (texts: string[], problemOf: (text: string) => string | undefined) => {
  for (const text of texts) assert.equal(problemOf(text), undefined, text)
}
const allWrong = (texts: string[], problemOf: (text: string) => string | undefined) => {
  for (const text of texts) assert.equal(typeof problemOf(text), 'string', text)
}

test('[AUT-20] a redirectUrl is an exact URL, or one with a trailing * for a path prefix', () =>
  allRight(
    [
      'https://app.example.com',
      'https://app.example.com/signed-in',
      'https://app.example.com/signed-in?from=mail',
      'https://app.example.com/*',
      'https://app.example.com/a/b*',
      'https://app.example.com*',
      'https://app.example.com:8443/*',
      'http://localhost:3000/*',
      'http://[::1]:3000/*',
      'mygame://signed-in',
      'mygame://signed-in/*',
      'com.example.game:/signed-in',
    ],
    redirectUrlProblem,
  ))

test('[AUT-21] a redirectUrl has * only as the last character of the path', () =>
  allWrong(
    [
      '*',
      'https://*',
      'https://*.example.com/',
      'https://app.example.com/*/b',
      'https://app.example.com/**',
      'https://app.example.com/?next=*',
      'https://app.example.com:*',
    ],
    redirectUrlProblem,
  ))

test('[AUT-21] a redirectUrl is absolute, without fragment, userinfo or anything ambiguous', () =>
  allWrong(
    [
      '/signed-in',
      '//app.example.com/',
      'app.example.com',
      'https://',
      'https:app.example.com',
      'https:/app.example.com',
      'https://app.example.com/#done',
      'https://app.example.com/#',
      'https://user@app.example.com/',
      'https://user:pass@app.example.com/',
      'https://app.example.com\\@evil.example/',
      'https://app.example.com/a b',
      'https://app.example.com/a\u0000',
      ' https://app.example.com/',
      'https://app.example.com/a/../b',
      'https://app.example.com/a/..;/b',
      'https://app.example.com/%2e%2e/b',
      'https://app.example.com/a%2Fb',
      'https://app.example.com/a%5cb',
      'javascript:alert(1)',
      'javascript:/alert(1)',
      'JavaScript://%0aalert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://app.example.com/x',
      'mailto:ada@example.com',
    ],
    redirectUrlProblem,
  ))

test('[CFG-13] an origin is exact, has a wildcard subdomain, a localhost port or a custom scheme', () =>
  allRight(
    [
      'https://app.example.com',
      'https://app.example.com:8443',
      'https://*.example.com',
      'https://*.example.com:8443',
      'http://*.localhost:3000',
      'https://*.localhost',
      'https://*.app.localhost',
      'http://localhost:5173',
      'http://localhost',
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
      'https://xn--mnchen-3ya.example',
      'capacitor://localhost',
      'tauri://localhost',
      'myapp://',
      'chrome-extension://abcdefghijklmnop',
    ],
    originProblem,
  ))

test('[CFG-13] a path, a query, * alone and text that no browser sends are not origins', () =>
  allWrong(
    [
      '*',
      'null',
      'app.example.com',
      'https://',
      'https://*',
      'https://*.',
      'https://app.example.com/',
      'https://app.example.com/game',
      'https://app.example.com?x=1',
      'https://app.example.com#x',
      'https://user@app.example.com',
      'https://app.*.example.com',
      'https://*app.example.com',
      'https://*.*.example.com',
      'https://*.com',
      'https://*.com.',
      'http://*.com:8080',
      'https://*.xn--p1ai',
      'https://App.example.com',
      'HTTPS://app.example.com',
      'https://app.example.com:443',
      'http://localhost:*',
      'http://localhost:99999',
      'https://münchen.example',
      'https://a b',
      'myapp://*',
      'MyApp://x',
      'myapp://x/y',
    ],
    originProblem,
  ))

test('[CFG-13] a wildcard is allowed before a registered domain, but not before a public suffix', () => {
  allWrong(
    [
      'https://*.co.uk',
      'https://*.co.uk.',
      'http://*.co.uk:8080',
      'https://*.com.au',
      'https://*.or.jp',
      'https://*.github.io',
      'https://*.netlify.app',
    ],
    originProblem,
  )
  allRight(
    [
      'https://*.example.co.uk',
      'https://*.example.com.au',
      'https://*.ada.github.io',
      'https://*.web.de',
      'https://co.uk',
    ],
    originProblem,
  )
})

test('[CFG-17] the webhook is https; http is for localhost in development', () => {
  allRight(['https://api.example.com/verify?x=1', 'https://api.example.com:8443'], (url) =>
    webhookUrlProblem(url, 'production'),
  )
  const local = ['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'api.localhost']
  const remote = ['api.example.com', 'localhost.example.com', '127.0.0.2', '10.0.0.1', 'xlocalhost']
  const http = (hosts: string[]) => hosts.map((host) => `http://${host}/verify`)
  allRight(http(local), (url) => webhookUrlProblem(url, 'development'))
  allWrong(http(local), (url) => webhookUrlProblem(url, 'production'))
  allWrong(http(remote), (url) => webhookUrlProblem(url, 'development'))
  allWrong(
    [
      'api.example.com',
      'ftp://api.example.com/',
      'https://user:pass@api.example.com/',
      'https://api.example.com/#x',
      'https://api.example.com\\x',
    ],
    (url) => webhookUrlProblem(url, 'development'),
  )
})

test('[CFG-15] a card image is a path in the deployment or an https URL', () => {
  allRight(['card.png', 'art/card.png', 'art/a:b.png', 'https://cdn.example.com/card.png?v=2'], imageProblem)
  allWrong(
    [
      'javascript:alert(1)',
      'JavaScript:alert(1)//x.png',
      'data:image/png;base64,AA',
      'data:image/svg+xml,<svg/onload=alert(1)>',
      'vbscript:x',
      'blob:x',
      'file:card.png',
      'file:///card.png',
      'http:card.png',
      'http://cdn.example.com/card.png',
      'https:card.png',
      'https:/card.png',
      '//cdn.example.com/card.png',
      '/card.png',
      '.svc/sdk.js',
      'a'.repeat(513),
    ],
    imageProblem,
  )
  allWrong(
    [
      '/card.png',
      '../card.png',
      'http://cdn.example.com/card.png',
      'https://',
      'https://user@cdn.example.com/card.png',
      'javascript://x',
      'a'.repeat(513),
    ],
    imageProblem,
  )
})

test('[CFG-02] an invalid URL is reported with its path in the document', () => {
  const document = {
    auth: { redirectUrls: ['https://app.example.com', '/signed-in'] },
    web: { allowedOrigins: ['*'] },
    share: { tags: { image: '../card.png' } },
    integrity: { stats: { webhook: { url: 'http://localhost:3000' } } },
  }
  const places = checkConfig(document, { environment: 'production' }).map(
    ({ path, rule }) => `${path} ${rule}`,
  )
  assert.deepEqual(places, [
    '$.auth.redirectUrls[1] url',
    '$.web.allowedOrigins[0] origin',
    '$.share.tags.image url',
    '$.integrity.stats.webhook.url url',
  ])
})
