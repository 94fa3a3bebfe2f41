import type { NamedEndpoint, Part } from '@svc/contract/common/endpoints'
import { ERRORS } from '@svc/contract/common/errors'

import { type Html, html } from '../html.ts'
import { CALLERS, endpointSection, methodSign, titleOf } from './endpoint-section.ts'

/** The first page of the API: authentication, errors, and a list of all endpoints. */
export const apiStart = (baseUrl: string, parts: readonly Part[]): Html =>
  html`<p class="lead">
      Base URL <code>${baseUrl}</code>. Bodies are JSON, times are ISO 8601 in UTC, and every response has an
      <code>X-Request-Id</code>.
    </p>
    <h2 id="callers"><a class="anchor" href="#callers">Authentication</a></h2>
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
    <p>
      <code>svc new</code> creates a project and writes its keys to <code>.env</code>, under the names that
      the curl examples use. With the API: <a href="/docs/api/developers#signUp">create an account</a>, then
      <a href="/docs/api/projects#createProject">create a project</a>; the response is the only time you see
      its four keys.
    </p>
    <h2 id="errors"><a class="anchor" href="#errors">Errors</a></h2>
    <p>
      Every error has this body. Check <code>code</code>; <code>message</code> is for humans.
      <a href="/docs/errors">All codes</a>.
    </p>
    <figure class="code">
      <pre
        tabindex="0"
      ><code>${JSON.stringify({ error: { code: 'not_found', message: ERRORS.not_found.message, details: {} } }, null, 2)}</code></pre>
    </figure>
    <h2 id="endpoints"><a class="anchor" href="#endpoints">All endpoints</a></h2>
    ${parts.map(
      (part) =>
        html`<h3 id="part-${part.id}"><a href="/docs/api/${part.id}">${part.title}</a></h3>
          ${endpointList(part, `/docs/api/${part.id}`)}`,
    )}`

export const API_START_HEADINGS = [
  { id: 'callers', text: 'Authentication' },
  { id: 'errors', text: 'Errors' },
  { id: 'endpoints', text: 'All endpoints' },
]

const CALLER_NOTES = [
  ['public', ['X-Svc-Key: pk_…'], 'Identifies the environment. Safe to use in a page.'],
  [
    'player',
    ['X-Svc-Key: pk_…', 'Authorization: Bearer <access token>'],
    'A signed-in player. Tokens last 15 minutes; refresh and retry.',
  ],
  ['server', ['X-Svc-Key: sk_…'], 'Your server, CI or command line. Never put it in a page.'],
  [
    'developer',
    ['Authorization: Bearer kds_…'],
    'You, as a signed-in developer. The URL names the environment.',
  ],
  ['operator', ['Authorization: Bearer kds_…'], 'You, as an operator of this service.'],
] as const

/** All endpoints of one part, with every field. */
export const apiPart = (baseUrl: string, part: Part): Html =>
  html`<p class="lead">${part.about}</p>
    ${part.endpoints.length > 1 && endpointList(part, '')}
    ${inReadingOrder(part).map((endpoint) => endpointSection(baseUrl, endpoint))}`

/** Calls of apps come before those of servers and developers: most readers write a page. */
const inReadingOrder = ({ endpoints }: Part) => endpoints.toSorted((a, b) => audienceOf(a) - audienceOf(b))

const audienceOf = ({ caller }: NamedEndpoint) => (caller === 'public' || caller === 'player' ? 0 : 1)

const endpointList = (part: Part, page: string): Html =>
  html`<ul class="endpoint-list">
    ${inReadingOrder(part).map((endpoint) => {
      const { name, route } = endpoint
      const id = page === '' ? '' : html` id="${name}"`
      return html`<li ${id}>
        <a href="${page}#${name}">${methodSign(route)}<span>${titleOf(endpoint)}</span></a>
      </li>`
    })}
  </ul>`
