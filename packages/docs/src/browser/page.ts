import { all, one } from './elements.ts'

/** Pages of the docs can be read without this. It adds search, copying, light and dark, and forms that try a call. */
const COPIED_MS = 1_500
/** Below it the contents are above the text. */
const narrow = matchMedia('(max-width: 899px)')

const dark = matchMedia('(prefers-color-scheme: dark)')
one('#theme')?.addEventListener('click', () => {
  const { dataset } = document.documentElement
  const next = (dataset['theme'] ?? (dark.matches ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark'
  dataset['theme'] = next
  localStorage.setItem('svc.theme', next)
})

const fold = one('.fold')
fold?.addEventListener('click', () => (fold.ariaExpanded = String(fold.ariaExpanded !== 'true')))
const groups = all<HTMLDetailsElement>('.contents .group').map((group) => ({ group, isOpen: group.open }))
const foldGroups = () => {
  for (const { group, isOpen } of groups)
    group.open = narrow.matches ? one('[aria-current]', group) !== null : isOpen
}
narrow.addEventListener('change', foldGroups)
foldGroups()
if (!narrow.matches) one('.contents [aria-current]')?.scrollIntoView({ block: 'nearest' })

for (const button of all('.copy')) button.addEventListener('click', () => void copy(button))

async function copy(button: HTMLElement) {
  const code = button.parentElement?.querySelector('code')
  if (!code) return
  const commands = [...code.querySelectorAll('.command')].map(({ textContent }) => textContent)
  try {
    await navigator.clipboard.writeText(commands.length > 0 ? commands.join('\n') : (code.textContent ?? ''))
    button.textContent = 'Copied'
  } catch {
    // A plain http address has no clipboard: select the text, so that a key copies it.
    getSelection()?.selectAllChildren(code)
    button.textContent = 'Selected'
  }
  setTimeout(() => (button.textContent = 'Copy'), COPIED_MS)
}

/** Results in code that is too wide get lines of their own on a narrow screen. Measured without them, so that it does not flicker. */
const withResults = all('pre:has(.result)')
const measure = () => {
  for (const pre of withResults) pre.classList.remove('too-wide')
  // Everything is read before anything is changed: the page is laid out once.
  const tooWide = withResults.filter((pre) => pre.scrollWidth > pre.clientWidth)
  for (const pre of tooWide) pre.classList.add('too-wide')
}
narrow.addEventListener('change', measure)
addEventListener('orientationchange', measure)
measure()

/** The list beside the text shows which part is read. */
const beside = new Map(all<HTMLAnchorElement>('.beside a').map((link) => [link.hash.slice(1), link]))
const watcher = new IntersectionObserver(
  (entries) => {
    const entered = entries.find(({ isIntersecting }) => isIntersecting)
    if (!entered) return
    for (const link of beside.values()) link.removeAttribute('aria-current')
    const link = beside.get(entered.target.id)
    link?.setAttribute('aria-current', 'true')
    link?.scrollIntoView({ block: 'nearest' })
  },
  { rootMargin: '0px 0px -75% 0px' },
)
for (const id of beside.keys()) {
  const heading = document.getElementById(id)
  if (heading) watcher.observe(heading)
}

/** Links to headings that are elsewhere now. Endpoints and errors were at `/docs#name` before they had pages of their own. */
const { pathname, hash } = location
const target = document.getElementById(hash.slice(1))
if (target instanceof HTMLAnchorElement && target.matches('.moved')) location.replace(target.href)
if (pathname === '/docs' && hash.length > 1 && !target)
  location.replace(hash.startsWith('#error-') ? `/docs/errors#${hash.slice(7)}` : `/docs/api${hash}`)

const input = one<HTMLInputElement>('#search')
input?.addEventListener('focus', () => void import('./search-field.ts').then((field) => field.start(input)), {
  once: true,
})
addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input?.focus()
  input?.select()
})

if (one('.try')) void import('./try-forms.ts').then((forms) => forms.start())
