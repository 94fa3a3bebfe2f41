import type { Part } from '@svc/contract/common/endpoints'
import { ERRORS } from '@svc/contract/common/errors'

import { CALLERS, endpointSection, methodSign, titleOf } from './endpoint-section.ts'
import { type Html, html } from './html.ts'

/** The first page of the API: who calls, what a refusal is, and a list of all endpoints. */
export const apiStart = (baseUrl: string, parts: readonly Part[]): Html =>
  html`<p class="lead">
      Base address <code>${baseUrl}</code>. Bodies are JSON, times are ISO 8601 in UTC, and every answer
      carries <code>X-Request-Id</code>.
    </p>
    <h2 id="callers"><a class="anchor" href="#callers">Who is calling</a></h2>
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
      <code>npm run svc -- new</code> creates a project and writes its keys to <code>.env</code>, under the
      names that the curl examples use. With the API:
      <a href="/docs/api/developers#signUp">create an account</a>, then
      <a href="/docs/api/projects#createProject">create a project</a>; the response contains its four keys,
      only once.
    </p>
    <h2 id="refusals"><a class="anchor" href="#refusals">When it is refused</a></h2>
    <p>
      Whatever the status, the body has this shape. Decide by <code>code</code>; <code>message</code> is for
      people. <a href="/docs/errors">Errors</a> lists every code.
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
  { id: 'callers', text: 'Who is calling' },
  { id: 'refusals', text: 'When it is refused' },
  { id: 'endpoints', text: 'All endpoints' },
]

const CALLER_NOTES = [
  ['public', ['X-Svc-Key: pk_…'], 'Names the environment. It may stand in a page.'],
  [
    'player',
    ['X-Svc-Key: pk_…', 'Authorization: Bearer <access token>'],
    'Somebody who plays. The token lives 15 minutes; refresh it and try once more.',
  ],
  [
    'server',
    ['X-Svc-Key: sk_…'],
    'Your own server, your build, your command line. It must never reach a page.',
  ],
  ['developer', ['Authorization: Bearer kds_…'], 'You, signed in. The environment stands in the address.'],
  ['operator', ['Authorization: Bearer kds_…'], 'You, signed in, as an operator of this service.'],
] as const

/** All endpoints of one part, with every field. */
export const apiPart = (baseUrl: string, part: Part): Html =>
  html`<p class="lead">${part.about}</p>
    ${part.endpoints.length > 1 && endpointList(part, '')}
    ${part.endpoints.map((endpoint) => endpointSection(baseUrl, endpoint))}`

const endpointList = ({ endpoints }: Part, page: string): Html =>
  html`<ul class="endpoint-list">
    ${endpoints.map((endpoint) => {
      const { name, route } = endpoint
      const id = page === '' ? '' : html` id="${name}"`
      return html`<li ${id}>
        <a href="${page}#${name}">${methodSign(route)}<span>${titleOf(endpoint)}</span></a>
      </li>`
    })}
  </ul>`
