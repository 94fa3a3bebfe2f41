/** HTML that needs no escaping. */
export type Html = { readonly html: string }

type Part = Html | string | number | null | undefined | false | readonly Part[]

/** A template whose values are escaped, unless they are `Html`. */
export const html = (strings: TemplateStringsArray, ...values: readonly Part[]): Html => ({
  html: strings.map((text, index) => text + render(values[index])).join(''),
})

/** For HTML that our own renderers made. */
export const trusted = (text: string): Html => ({ html: text })

/** For text and for attribute values in quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Text of the contract, in which names stand in backticks. */
export const withCode = (text: string): Html =>
  html`${text.split('`').map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`))}`

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  if ('html' in part) return part.html
  return part.map(render).join('')
}
