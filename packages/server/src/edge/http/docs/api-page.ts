import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { PARTS, type Part } from '@svc/contract/endpoints'
import { type ErrorCode, ERRORS } from '@svc/contract/errors'

import type { HtmlPage } from '../../../platform/pages.ts'
import { CALLERS, endpointSection, methodSign, titleOf } from './endpoint-section.ts'
import { type Html, html, trusted } from './html.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const style = read('page.css')
const script = read('page.js')

export type DocsPageOptions = { baseUrl: string; version: string; parts?: readonly Part[] }

/** The API page: one document that loads nothing else and can be read without its script. */
export function apiPage({ baseUrl, version, parts = PARTS }: DocsPageOptions): HtmlPage {
  const body = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>svc API ${version}</title>
        <link rel="icon" href="data:," />
        <style>
          ${trusted(style)}
        </style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${topBar(version)}
        <div class="columns">
          ${navigation(parts)}
          <main id="content" tabindex="-1">
            ${introduction(baseUrl)} ${parts.map((part) => partSection(baseUrl, part))} ${errorSection()}
          </main>
        </div>
        <script>
          ${trusted(script)}
        </script>
      </body>
    </html>`.html
  return { body, headers: { 'Content-Security-Policy': policyOf(body), 'Cache-Control': 'no-cache' } }
}

/** Computed from the finished page, so that it allows exactly the styles and scripts of the page. */
function policyOf(page: string): string {
  const hashOf = (tag: string) => {
    const [, text = ''] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page) ?? []
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  }
  return [
    "default-src 'none'",
    `script-src ${hashOf('script')}`,
    `style-src ${hashOf('style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const topBar = (version: string): Html =>
  html`<header class="top">
    <a class="brand" href="#content">svc <span>API ${version}</span></a>
    <label class="search" hidden>
      <span class="unseen">Search the API</span>
      <input id="search" type="search" placeholder="Search" autocomplete="off" aria-keyshortcuts="/" />
      <kbd aria-hidden="true">/</kbd>
    </label>
    <a class="plain-link" href="/docs/guide/README.md">Guide</a>
    <a class="plain-link" href="/openapi.json">openapi.json</a>
    <button type="button" id="theme" hidden aria-label="Switch between light and dark"></button>
  </header>`

const navigation = (parts: readonly Part[]): Html =>
  html`<nav aria-label="Endpoints">
    <details open>
      <summary>Contents</summary>
      <p id="found" role="status"></p>
      <ul>
        <li><a href="#start">Start here</a></li>
      </ul>
      ${parts.map(
        ({ id, title, endpoints }) =>
          html`<h2><a href="#part-${id}">${title}</a></h2>
            <ul>
              ${endpoints.map(
                (endpoint) =>
                  html`<li>
                    <a href="#${endpoint.name}"
                      >${methodSign(endpoint.route)}<span>${titleOf(endpoint)}</span></a
                    >
                  </li>`,
              )}
            </ul>`,
      )}
      <h2><a href="#errors">Errors</a></h2>
    </details>
  </nav>`

const introduction = (baseUrl: string): Html =>
  html`<section id="start" class="part">
    <h1>The API of this service</h1>
    <p class="lead">
      Base address <code>${baseUrl}</code>. Bodies are JSON, times are ISO 8601 in UTC, and every answer
      carries <code>X-Request-Id</code>.
    </p>
    <h3>Who is calling</h3>
    <dl class="callers">
      ${CALLER_NOTES.map(
        ([caller, headers, note]) =>
          html`<div>
            <dt><span class="caller ${caller}">${CALLERS[caller]}</span></dt>
            <dd>
              ${headers.map((header) => html`<code>${header}</code>`)}
              <p>${note}</p>
            </dd>
          </div>`,
      )}
    </dl>
    <p class="note">
      <code>npm run svc -- new</code> creates a project and writes its keys to <code>.env</code>, under the
      names that the curl examples use. With the API: <a href="#signUp">create an account</a>, then
      <a href="#createProject">create a project</a>; the response contains its four keys, only once.
    </p>
    <h3>When it is refused</h3>
    <p>
      Whatever the status, the body has this shape. Decide by <code>code</code>; <code>message</code> is for
      people.
    </p>
    <pre
      tabindex="0"
    ><code>${JSON.stringify({ error: { code: 'not_found', message: ERRORS.not_found.message, details: {} } }, null, 2)}</code></pre>
  </section>`

const CALLER_NOTES = [
  ['public', ['X-Svc-Key: pk_…'], 'The key identifies the environment. It may be used in a page.'],
  [
    'player',
    ['X-Svc-Key: pk_…', 'Authorization: Bearer <access token>'],
    'A player. The token is valid for 15 minutes; then refresh it and repeat the call.',
  ],
  [
    'server',
    ['X-Svc-Key: sk_…'],
    'Your server, your build or your command line. Never put this key into a page.',
  ],
  ['developer', ['Authorization: Bearer kds_…'], 'You, signed in. The environment is part of the URL.'],
  ['operator', ['Authorization: Bearer kds_…'], 'You, signed in, as an operator of this service.'],
] as const

const partSection = (baseUrl: string, { id, title, about, endpoints }: Part): Html =>
  html`<section id="part-${id}" class="part">
    <h2>${title}</h2>
    <p class="lead">${about}</p>
    ${endpoints.map((endpoint) => endpointSection(baseUrl, endpoint))}
  </section>`

const errorSection = (): Html =>
  html`<section id="errors" class="part">
    <h2>Errors</h2>
    <p class="lead">Every code there is. A code is never renamed and never changes its status.</p>
    <ul class="refusals">
      ${(Object.keys(ERRORS) as ErrorCode[]).map(
        (code) =>
          html`<li id="error-${code}">
            <span class="status">${ERRORS[code].status}</span> <code>${code}</code>
            <p>${ERRORS[code].message}</p>
          </li>`,
      )}
    </ul>
  </section>`
