import { escapeHtml } from '../../../platform/http/pages.ts'

/** HTML that needs no escaping. */
export type Html = { readonly html: string }

type Part = Html | string | number | null | undefined | false | readonly Part[]

/** A template whose values are escaped, unless they are `Html`. */
export const html = (strings: TemplateStringsArray, ...values: readonly Part[]): Html => ({
  html: strings.map((text, index) => text + render(values[index])).join(''),
})

/** For the page's style and script, which no caller can influence. */
export const trusted = (text: string): Html => ({ html: text })

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  if ('html' in part) return part.html
  return part.map(render).join('')
}
