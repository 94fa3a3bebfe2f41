import { type Address, addressesOf, errorsOf } from '@svc/contract/common/endpoint'
import type { NamedEndpoint } from '@svc/contract/common/endpoints'
import { messageTemplateOf } from '@svc/contract/common/error-messages'
import { type ErrorCode, ERRORS } from '@svc/contract/common/errors'
import { roleText } from '@svc/contract/common/roles'
import { EnvironmentParams } from '@svc/contract/common/schemas'

import { type Html, html, withCode } from '../html.ts'
import { curl, exampleOf } from './examples.ts'
import { fieldList } from './fields.ts'
import { type Shape, shapeOf } from './shape.ts'
import { tryForm } from './try-form.ts'

export const CALLERS: Record<Address['caller'], string> = {
  none: 'anyone',
  public: 'publishable key',
  player: 'player',
  server: 'secret key',
  developer: 'developer session',
  operator: 'operator session',
}

/** The part of a summary before the first `,` `;` `(` or `?` is the heading; the rest is shown below it. */
export const titleOf = ({ summary }: NamedEndpoint): string =>
  /^(?:\{[^}]*\}|[^{;,(?])+\??/.exec(summary)?.[0].trim() ?? summary

function remarkOf(endpoint: NamedEndpoint): string {
  const rest = endpoint.summary.slice(titleOf(endpoint).length).replace(/^[;,]? /, '')
  return rest && `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`
}

export function endpointSection(baseUrl: string, endpoint: NamedEndpoint): Html {
  const { name, feature, role, query, body, response, status = 200 } = endpoint
  const addresses = addressesOf(endpoint)
  const remark = remarkOf(endpoint)

  return html`<article class="endpoint" id="${name}">
    <div class="words">
      <h2><a class="anchor" href="#${name}">${titleOf(endpoint)}</a></h2>
      ${addresses.map(addressLine)} ${remark && html`<p class="note">${withCode(remark)}</p>`}
      ${feature && html`<p class="note">Requires the <code>${feature}</code> feature.</p>`}
      ${
        role !== undefined &&
        role !== 'account' &&
        html`<p class="note">Developers need at least this role in the project: ${roleText(role)}.</p>`
      }
      ${table('Path', pathShape(endpoint))} ${table('Query', query && shapeOf(query))}
      ${table('Body', body && shapeOf(body))} ${table(`Response ${status}`, shapeOf(response))}
      ${refusals(endpoint)}
    </div>
    <div class="samples">
      ${addresses.map((address, index) => curlSample(baseUrl, endpoint, address, index))}
      <details class="sample">
        <summary>Response ${status}</summary>
        <pre tabindex="0"><code>${JSON.stringify(exampleOf(shapeOf(response)), null, 2)}</code></pre>
      </details>
      ${tryForm(endpoint)}
    </div>
  </article>`
}

const addressLine = ({ method, path, caller }: Address): Html =>
  html`<p class="address">
    ${methodSign(method)} <code>${breakable(path)}</code>
    <span class="caller ${caller}">${CALLERS[caller]}</span>
  </p>`

export function methodSign(route: string): Html {
  const [method = ''] = route.split(' ')
  return html`<b class="method ${method.toLowerCase()}">${method}</b>`
}

/** A long URL breaks before a slash, not inside a word. */
const breakable = (path: string): Html =>
  html`${path
    .split(/(?=\/)/)
    .map((step) => html`<wbr />${step.startsWith('/:') ? html`/<i>${step.slice(1)}</i>` : step}`)}`

function table(title: string, shape: Shape | undefined): Html | false {
  if (!shape) return false
  return html`<h3>${title}</h3>
    ${fieldList(shape)}`
}

/** The parameters of all its URLs: the developer's URL adds the project and the environment. */
function pathShape(endpoint: NamedEndpoint): Shape | undefined {
  const known = {
    ...shapeOf(EnvironmentParams).properties,
    ...(endpoint.params && shapeOf(endpoint.params).properties),
  }
  const names = addressesOf(endpoint).flatMap(({ path }) =>
    [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name),
  )
  if (names.length === 0) return undefined
  return {
    properties: Object.fromEntries(names.map((name) => [name, known[name] ?? { type: 'string' }])),
    required: names,
  }
}

function refusals(endpoint: NamedEndpoint): Html {
  const own = endpoint.errors ?? []
  const others = errorsOf(endpoint).filter((code) => !own.includes(code))
  return html`<h3>Errors</h3>
    ${
      own.length > 0 &&
      html`<ul class="refusals">
        ${own.map(refusal)}
      </ul>`
    }
    <p class="codes">${own.length > 0 ? 'Plus' : 'Only'} the common ones: ${others.map(codeLink)}</p>`
}

const refusal = (code: ErrorCode): Html =>
  html`<li>
    <span class="status">${ERRORS[code].status}</span> ${codeLink(code)}
    <p>${messageTemplateOf(code)}</p>
  </li>`

const codeLink = (code: ErrorCode): Html => html`<a class="code" href="/docs/errors#${code}">${code}</a> `

function curlSample(baseUrl: string, endpoint: NamedEndpoint, address: Address, index: number): Html {
  const body = endpoint.body ? exampleOf(shapeOf(endpoint.body)) : undefined
  const open = index === 0 ? html` open` : ''
  return html`<details class="sample" name="curl-${endpoint.name}" ${open}>
    <summary>curl <span>${CALLERS[address.caller]}</span></summary>
    <button type="button" class="copy for-script">Copy</button>
    <pre
      tabindex="0"
    ><code>${curl(baseUrl, address, body, endpoint.bytesBody ?? endpoint.rawBody)}</code></pre>
  </details>`
}
