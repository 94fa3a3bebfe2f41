import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import diff from 'highlight.js/lib/languages/diff'
import http from 'highlight.js/lib/languages/http'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'

import { html, type Html, trusted } from './html.ts'

const LANGUAGES = { bash, diff, http, javascript, json, nginx, sql, typescript, xml }
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language)

/** A result behind code, with the end of its line: the style puts it on a line of its own where the block is too wide. */
const RESULT = /(?<=\S)( +<span class="hljs-comment">\/\/ → [^\n]*?<\/span>(?:\n|$))/g

/** Code with its colours as classes. The languages have aliases, such as `js`; any other language is shown plain. */
function highlighted(code: string, language: string): Html {
  if (!highlighter.getLanguage(language)) return html`${code}`
  const colored = highlighter.highlight(code, { language, ignoreIllegals: true }).value
  return trusted(colored.replaceAll(RESULT, '<span class="result">$1</span>'))
}

/** A block of code with a button that copies it; `info` is what follows the three backticks. */
export function codeBlock(code: string, info: string): Html {
  const [language = '', ...rest] = info.split(' ')
  const shown = language === 'console' ? consoleLines(code) : highlighted(code, language)
  const caption = captionOf(rest.join(' '))
  return html`<figure class="code">
    ${caption && html`<figcaption>${caption}</figcaption>`}
    <button type="button" class="copy for-script">Copy</button>
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
  if (how === 'server') return 'Node server'
  const [, name] = /^page=(\w+)$/.exec(how) ?? []
  if (name !== undefined) return `${name.charAt(0).toUpperCase()}${name.slice(1)}’s browser`
  return how === 'page' ? 'Browser' : ''
}
