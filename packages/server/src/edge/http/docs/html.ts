import { escapeHtml } from '../../../platform/pages.ts'

/** Text that is safe to put into a page as it is. */
export type Html = { readonly html: string }

type Part = Html | string | number | null | undefined | false | readonly Part[]

/** A template whose values are escaped, unless they are themselves made by it. */
export const html = (strings: TemplateStringsArray, ...values: readonly Part[]): Html => ({
  html: strings.map((text, index) => text + render(values[index])).join(''),
})

/** For our own style and script, which no caller can influence. */
export const trusted = (text: string): Html => ({ html: text })

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  if ('html' in part) return part.html
  return part.map(render).join('')
}
