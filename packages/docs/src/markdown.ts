import { Marked, type Token, type Tokens } from 'marked'

import { anchorOf, idOf } from './anchors.ts'
import { codeBlock } from './code-block.ts'
import { addressOf } from './contents.ts'
import { escapeHtml, html, type Html, trusted } from './html.ts'
import type { PictureSizes } from './pictures.ts'

type Heading = { id: string; depth: number; text: string }
/** A part of a page that the search finds; the id is empty for what stands before the first heading. */
export type Section = { id: string; heading: string; text: string }
/** `lead` is the first paragraph. */
export type Outline = {
  title: string
  lead: string
  headings: readonly Heading[]
  sections: readonly Section[]
}
export type Document = Outline & { main: Html }

/** Reads what a page contains, without rendering it. */
export const readOutline = (source: string): Outline => outlineOf(new Marked().lexer(source)).outline

/** `file` is the address of the Markdown: links are relative to it. HTML inside of the Markdown is shown as text. */
export function renderDocument(source: string, file: string, sizes: PictureSizes): Document {
  const tokens = new Marked().lexer(source)
  const { outline, ids } = outlineOf(tokens)
  const marked = new Marked({
    renderer: {
      heading(token) {
        const { depth, tokens: inner } = token
        const id = ids.get(token)
        // The title of the page.
        if (id === undefined) return ''
        const text = this.parser.parseInline(inner)
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${text}</a></h${depth}>\n`
      },
      code: ({ text, lang = '' }) => codeBlock(text, lang).html,
      html: ({ text }) => (isComment(text) ? '' : escapeHtml(text)),
      link({ href, tokens: inner }) {
        const text = trusted(this.parser.parseInline(inner))
        const address = addressOf(href, file)
        return address === undefined ? text.html : html`<a href="${address}">${text}</a>`.html
      },
      image({ href, text }) {
        const address = addressOf(href, file) ?? ''
        const size = sizes.get(address)
        const place = size && html`width="${size.width}" height="${size.height}"`
        return html`<img src="${address}" alt="${text}" ${place} loading="lazy" />`.html
      },
      table({ header, rows }) {
        const cells = (row: Tokens.TableCell[], tag: 'td' | 'th') =>
          row.map(({ tokens: inner }) => `<${tag}>${this.parser.parseInline(inner)}</${tag}>`).join('')
        const hasHead = header.some(({ text }) => text !== '')
        const head = hasHead ? `<thead><tr>${cells(header, 'th')}</tr></thead>` : ''
        const body = rows.map((row) => {
          const id = ids.get(row)
          return `<tr${id === undefined ? '' : ` id="${id}"`}>${cells(row, 'td')}</tr>`
        })
        return `<div class="table" tabindex="0"><table>${head}<tbody>${body.join('')}</tbody></table></div>\n`
      },
    },
  })
  return { ...outline, main: trusted(marked.parser(tokens)) }
}

const isComment = (text: string) => /^<!--[\s\S]*-->\s*$/.test(text)

/** Ids of headings, and of rows that explain one name, such as a setting: the search leads to them. */
type Ids = Map<Token | Tokens.TableCell[], string>

function outlineOf(tokens: readonly Token[]): { outline: Outline; ids: Ids } {
  const ids: Ids = new Map()
  const unique = uniqueIds()
  const headings: Heading[] = []
  const sections: Section[] = []
  let title = ''
  let lead = ''
  let section = { id: '', heading: '', text: '' }
  const end = () => {
    if (section.text.trim() !== '') sections.push({ ...section, text: section.text.trim() })
  }

  for (const token of tokens) {
    if (isHeading(token) && token.depth === 1) title = plainText(token)
    else if (isHeading(token)) {
      const text = plainText(token)
      const id = unique(anchorOf(text))
      ids.set(token, id)
      headings.push({ id, depth: token.depth, text })
      end()
      section = { id, heading: text, text: '' }
    } else if (isTable(token)) {
      for (const row of token.rows) {
        const name = nameOf(row)
        const text = row.map(({ tokens: inner }) => inner.map(plainText).join('')).join(' ')
        if (name === undefined) section.text += `${text}\n`
        else {
          const id = unique(idOf(name))
          ids.set(row, id)
          sections.push({ id, heading: name, text })
        }
      }
    } else {
      const text = plainText(token)
      if (token.type === 'paragraph') lead ||= text.replaceAll('\n', ' ')
      section.text += `${text}\n`
    }
  }
  end()
  return { outline: { title, lead, headings, sections }, ids }
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'
const isTable = (token: Token): token is Tokens.Table => token.type === 'table'

/** The code that stands alone in the first or the second cell of a row. */
function nameOf(row: readonly Tokens.TableCell[]): string | undefined {
  for (const { tokens } of row.slice(0, 2)) {
    const [only, ...others] = tokens
    if (only?.type === 'codespan' && others.length === 0) return plainText(only)
  }
  return undefined
}

const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
}

function plainText(token: Token): string {
  if (token.type === 'html' || token.type === 'space') return ''
  if (token.type === 'list') return (token as Tokens.List).items.map(plainText).join('\n')
  if ('tokens' in token && token.tokens) return token.tokens.map(plainText).join('')
  const { text = '' } = token as { text?: string }
  return text.replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}

/** Ids of headings are those of GitHub, so that links work in both places. */
function uniqueIds(): (id: string) => string {
  const used = new Map<string, number>()
  return (id) => {
    const before = used.get(id) ?? 0
    used.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  }
}
