import { type Html, html, withCode } from '../html.ts'
import { boundsOf, objectsIn, type Shape, typeOf } from './shape.ts'

/** A table with at most this many fields is open; a longer one is collapsed. */
const OPEN_FIELDS_MAX = 6

/** The fields of an object as a list, each with its type, its bounds and what it means. */
export function fieldList(shape: Shape): Html {
  const objects = objectsIn(shape)
  const [only] = objects
  if (!only)
    return html`<p class="plain">
      <code class="type">${typeOf(shape)}</code> ${withCode(shape.description ?? '')}
    </p>`
  if (objects.length === 1) return rowsOf(only)
  return html`${objects.map(
    (variant, index) =>
      html`<p class="plain">
          ${index === 0 ? 'Either' : 'or'}${variant.description && ` (${variant.description})`}:
        </p>
        ${rowsOf(variant)}`,
  )}`
}

function rowsOf({ properties = {}, required = [] }: Shape): Html {
  const entries = Object.entries(properties)
  if (entries.length === 0) return html`<p class="plain">An empty object.</p>`
  return html`<ul class="fields">
    ${entries.map(([name, shape]) => row(name, shape, required.includes(name)))}
  </ul>`
}

function row(name: string, shape: Shape, isRequired: boolean): Html {
  const bounds = [...(isRequired ? [] : ['optional']), ...boundsOf(shape)]
  return html`<li>
    <code class="name">${name}</code> <code class="type">${typeOf(shape)}</code>
    ${bounds.length > 0 && html`<span class="bounds">${bounds.join(' · ')}</span>`}
    ${shape.description && html`<p>${withCode(shape.description)}</p>`} ${inner(shape)}
  </li>`
}

function inner(shape: Shape): Html | false {
  const fields = objectsIn(shape).reduce(
    (sum, { properties = {} }) => sum + Object.keys(properties).length,
    0,
  )
  if (fields === 0) return false
  const open = fields <= OPEN_FIELDS_MAX ? html` open` : ''
  return html`<details class="inner" ${open}>
    <summary>${fields === 1 ? '1 field' : `${fields} fields`}</summary>
    ${fieldList(shape)}
  </details>`
}
