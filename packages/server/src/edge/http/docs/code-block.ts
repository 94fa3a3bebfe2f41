import { lazy } from '../../../platform/memory/lazy.ts'
import { html, type Html, trusted } from './html.ts'

/** Colours of code as classes; undefined for a language that is shown plain. */
export type Highlight = (code: string, language: string) => Html | undefined

const SAME: Record<string, string> = { js: 'javascript', ts: 'typescript', sh: 'bash', html: 'xml' }

export const loadHighlighter = lazy(async (): Promise<Highlight> => {
  const [{ default: core }, ...languages] = await Promise.all([
    import('highlight.js/lib/core'),
    import('highlight.js/lib/languages/bash'),
    import('highlight.js/lib/languages/http'),
    import('highlight.js/lib/languages/javascript'),
    import('highlight.js/lib/languages/json'),
    import('highlight.js/lib/languages/nginx'),
    import('highlight.js/lib/languages/sql'),
    import('highlight.js/lib/languages/typescript'),
    import('highlight.js/lib/languages/xml'),
  ])
  const names = ['bash', 'http', 'javascript', 'json', 'nginx', 'sql', 'typescript', 'xml']
  for (const [at, { default: language }] of languages.entries())
    core.registerLanguage(names[at] ?? '', language)
  return (code, language) => {
    const name = SAME[language] ?? language
    if (!core.getLanguage(name)) return undefined
    return trusted(core.highlight(code, { language: name, ignoreIllegals: true }).value)
  }
})

/** A block of code with a button that copies it; `info` is what follows the three backticks. */
export function codeBlock(code: string, info: string, highlight: Highlight): Html {
  const [language = '', ...rest] = info.split(' ')
  const shown = language === 'console' ? consoleLines(code) : (highlight(code, language) ?? html`${code}`)
  const caption = captionOf(rest.join(' '))
  return html`<figure class="code">
    ${caption && html`<figcaption>${caption}</figcaption>`}
    <button type="button" class="copy" hidden>Copy</button>
    <pre tabindex="0"><code>${shown}</code></pre>
  </figure>`
}

/** Only the commands are copied. */
const consoleLines = (code: string): Html =>
  html`${code.split('\n').map((line, index) => {
    const start = index === 0 ? '' : '\n'
    return line.startsWith('$ ')
      ? html`${start}<span class="prompt">$ </span><span class="command">${line.slice(2)}</span>`
      : html`${start}<span class="output">${line}</span>`
  })}`

/** Where a block of the guide runs (`scripts/snippets.ts`), or the file that it is. */
function captionOf(how: string): string {
  if (/[./]/.test(how)) return how
  if (how === 'server') return 'on your server'
  const [, name] = /^page=(\w+)$/.exec(how) ?? []
  if (name !== undefined) return `in a page (${name})`
  return how === 'page' ? 'in a page' : ''
}
