import { type Address, addressesOf } from '@svc/contract/common/endpoint'
import type { NamedEndpoint } from '@svc/contract/common/endpoints'

import { type Html, html } from '../html.ts'
import { exampleOf } from './examples.ts'
import { shapeOf, typeOf } from './shape.ts'

type Credential = { name: string; label: string; placeholder: string }

const PUBLISHABLE_KEY = { name: 'publishableKey', label: 'Publishable key', placeholder: 'pk_dev_…' }
const SECRET_KEY = { name: 'secretKey', label: 'Secret key', placeholder: 'sk_dev_…' }
const ACCESS_TOKEN = { name: 'accessToken', label: 'Access token', placeholder: 'eyJ…' }
const DEVELOPER_TOKEN = { name: 'developerToken', label: 'Developer session', placeholder: 'kds_…' }

const CREDENTIALS: Record<Address['caller'], readonly Credential[]> = {
  none: [],
  public: [PUBLISHABLE_KEY],
  player: [PUBLISHABLE_KEY, ACCESS_TOKEN],
  server: [SECRET_KEY],
  developer: [DEVELOPER_TOKEN],
  operator: [DEVELOPER_TOKEN],
}

/** Sends the call from the page; a script shows it, because without one it could do nothing. */
export function tryForm(endpoint: NamedEndpoint): Html {
  const query = Object.entries((endpoint.query && shapeOf(endpoint.query).properties) ?? {})
  const addresses = addressesOf(endpoint)
  const bodyId = `try-${endpoint.name}-body`

  return html`<details class="sample try for-script">
    <summary>Try it</summary>
    ${addresses.map(
      (address) =>
        html`<form data-method="${address.method}" data-path="${address.path}">
          ${addresses.length > 1 && html`<p class="path"><code>${address.method} ${address.path}</code></p>`}
          ${CREDENTIALS[address.caller].map(credentialInput)}
          ${[...address.path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathInput(name))}
          ${query.map(
            ([name, shape]) =>
              html`<label
                >${name} <input data-query="${name}" placeholder="${typeOf(shape)}" autocomplete="off"
              /></label>`,
          )}
          ${
            endpoint.idempotent &&
            html`<label
              >Idempotency-Key
              <input
                data-header="Idempotency-Key"
                placeholder="${endpoint.idempotent === 'required' ? 'required' : 'optional'}"
                autocomplete="off"
            /></label>`
          }
          ${
            endpoint.body &&
            html`<label for="${bodyId}-${address.caller}">Body</label>
              <textarea id="${bodyId}-${address.caller}" data-body rows="6" spellcheck="false">
${JSON.stringify(exampleOf(shapeOf(endpoint.body)), null, 2)}</textarea>`
          }
          <button type="submit">Send ${address.method}</button>
          <output aria-live="polite"></output>
        </form>`,
    )}
  </details>`
}

/** A player's token can be made from the publishable key, so that nobody has to find one first. */
const newGuest = html`<div class="guest">
  <button type="button" data-new-guest>Use a new guest</button>
  <span aria-live="polite"></span>
</div>`

const credentialInput = ({ name, label, placeholder }: Credential): Html =>
  html`<label
      >${label}
      <input
        data-credential="${name}"
        type="password"
        placeholder="${placeholder}"
        autocomplete="off"
        spellcheck="false"
    /></label>
    ${name === ACCESS_TOKEN.name && newGuest}`

const pathInput = (name: string): Html =>
  html`<label
    >${name}
    <input
      data-param="${name}"
      value="${name === 'env' ? 'development' : ''}"
      required
      autocomplete="off"
      spellcheck="false"
  /></label>`
