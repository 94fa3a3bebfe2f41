import type { SearchIndex } from '../search/search-index.ts'
import { createSearch, type Found } from './search-ranking.ts'

const EXCERPT_CHARACTERS = 120

/** Shows what fits below the field: arrows choose, Enter opens, Escape closes. */
export async function start(input: HTMLInputElement) {
  const list = document.createElement('div')
  list.id = 'found'
  list.className = 'found'
  list.role = 'listbox'
  list.ariaLabel = 'Search results'
  list.hidden = true
  const status = document.createElement('p')
  status.className = 'visually-hidden'
  status.role = 'status'
  input.after(list, status)
  input.role = 'combobox'
  input.setAttribute('aria-controls', 'found')
  input.setAttribute('aria-autocomplete', 'list')
  input.ariaExpanded = 'false'

  let search: ((question: string) => Found[]) | undefined
  let groups: SearchIndex['groups'] = []
  let chosen = -1

  const open = (isOpen: boolean) => {
    list.hidden = !isOpen
    input.ariaExpanded = String(isOpen)
  }
  const choose = (at: number | undefined) => {
    const options = [...list.querySelectorAll('a')]
    chosen = at === undefined ? -1 : (at + options.length) % options.length
    for (const [index, option] of options.entries()) option.ariaSelected = String(index === chosen)
    const option = options[chosen]
    if (option) {
      input.setAttribute('aria-activedescendant', option.id)
      option.scrollIntoView({ block: 'nearest' })
    } else input.removeAttribute('aria-activedescendant')
  }
  const show = () => {
    const question = input.value.trim()
    if (!search || question === '') {
      status.textContent = ''
      return open(false)
    }
    const found = search(question)
    status.textContent = found.length === 1 ? '1 result' : `${found.length} results`
    if (found.length > 0) list.replaceChildren(...found.map(optionOf))
    else list.replaceChildren(nothing(question), ...groups.map(groupOption))
    open(true)
    choose(found.length > 0 ? 0 : undefined)
  }

  input.addEventListener('input', show)
  input.addEventListener('focus', show)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!list.hidden) choose(event.key === 'ArrowDown' ? chosen + 1 : Math.max(chosen, 0) - 1)
    }
    if (event.key === 'Enter' && !list.hidden) list.querySelectorAll('a')[chosen]?.click()
    if (event.key === 'Escape' && !list.hidden) {
      // The browser would also remove the text.
      event.preventDefault()
      open(false)
    }
  })
  list.addEventListener('click', () => {
    open(false)
    input.blur()
  })
  addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Node && !input.parentElement?.contains(target)) open(false)
  })

  const response = await fetch('/docs/search.json')
  const index = (await response.json()) as SearchIndex
  groups = index.groups
  search = createSearch(index)
  show()
}

function optionOf({ href, title, heading, group, text, terms }: Found, index: number): HTMLElement {
  const option = document.createElement('a')
  option.href = href
  option.role = 'option'
  option.id = `found-${index}`
  option.tabIndex = -1
  const where = document.createElement('small')
  where.textContent = heading === '' ? group : `${group} · ${title}`
  const name = document.createElement('strong')
  name.append(...marked(heading === '' ? title : heading, terms))
  const excerpt = document.createElement('span')
  excerpt.append(...marked(excerptOf(text, terms), terms))
  option.append(where, name, excerpt)
  return option
}

function nothing(question: string): HTMLElement {
  const line = document.createElement('p')
  line.role = 'option'
  line.ariaDisabled = 'true'
  line.textContent = `Nothing found for “${question}”. These are the parts of the docs:`
  return line
}

/** A part of the docs, for a search that finds nothing. */
function groupOption({ href, title }: SearchIndex['groups'][number], index: number): HTMLElement {
  const option = document.createElement('a')
  option.href = href
  option.role = 'option'
  option.id = `found-${index}`
  option.tabIndex = -1
  option.textContent = title
  return option
}

/** The part of the text where the first word was found. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const at = Math.min(...terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0), text.length)
  const from = at < EXCERPT_CHARACTERS / 2 || at === text.length ? 0 : text.lastIndexOf(' ', at - 30) + 1
  const part = text.slice(from, from + EXCERPT_CHARACTERS)
  return `${from > 0 ? '… ' : ''}${part}${from + part.length < text.length ? ' …' : ''}`
}

/** The text, with the words that were searched for marked. */
function marked(text: string, terms: readonly string[]): (string | HTMLElement)[] {
  if (terms.length === 0) return [text]
  const words = terms.map((term) => RegExp.escape(term)).join('|')
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${words})`, 'giu')).map((piece, index) => {
    if (index % 2 === 0) return piece
    const mark = document.createElement('mark')
    mark.textContent = piece
    return mark
  })
}
