// The page can be read without this script. The script adds search, copy, light and dark, and trying a call.
const all = (selector, within = document) => [...within.querySelectorAll(selector)]
const one = (selector, within = document) => within.querySelector(selector)

for (const element of all('.search, #theme, .copy, .try')) element.hidden = false

// Light and dark: as the system is set, until the reader chooses.
const dark = matchMedia('(prefers-color-scheme: dark)')
one('#theme').addEventListener('click', () => {
  const { dataset } = document.documentElement
  dataset.theme = (dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark'
})

// On a phone the contents would fill the screen, so they start closed.
const contents = one('nav details')
const narrow = matchMedia('(max-width: 54rem)')
const fold = () => (contents.open = !narrow.matches)
narrow.addEventListener('change', fold)
fold()
contents.addEventListener('click', (event) => {
  if (narrow.matches && event.target.closest('a')) contents.open = false
})

// Search: every word must occur in the summary, an address or an error code.
const search = one('#search')
const articles = all('.endpoint')
const links = new Map(all('nav li a').map((link) => [link.hash.slice(1), link]))

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const article of articles) {
    article.hidden = !words.every((word) => article.dataset.find.includes(word))
    links.get(article.id).parentElement.hidden = article.hidden
    if (!article.hidden) found += 1
  }
  const searching = words.length > 0
  for (const part of all('.part')) part.hidden = searching && !one('.endpoint:not([hidden])', part)
  for (const heading of all('nav h2, nav ul')) {
    const list = heading.matches('ul') ? heading : heading.nextElementSibling
    heading.hidden = searching && !(list && one('li:not([hidden]) .method', list))
  }
  one('#found').textContent = searching ? `${found} of ${articles.length} endpoints` : ''
  if (searching && narrow.matches) contents.open = true
}

search.addEventListener('input', () => {
  find()
  // Scroll to the top, where the results are.
  scrollTo({ top: 0, behavior: 'instant' })
})
const endSearch = () => {
  search.value = ''
  find()
}
addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.target.closest('input, textarea')) {
    event.preventDefault()
    search.focus()
  }
  if (event.key === 'Escape' && event.target === search) endSearch()
})
// A link to a section that the search hides must still work.
addEventListener('click', (event) => {
  const link = event.target.closest('main a[href^="#"]')
  const target = link && document.getElementById(link.hash.slice(1))
  if (target?.closest('[hidden]')) endSearch()
})

// Marks the current section in the contents.
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      one('nav [aria-current]')?.removeAttribute('aria-current')
      const link = links.get(target.id)
      link?.setAttribute('aria-current', 'location')
      if (!narrow.matches) link?.scrollIntoView({ block: 'nearest' })
    }
  },
  { rootMargin: '-15% 0px -75% 0px' },
)
for (const section of [one('#start'), ...articles]) watcher.observe(section)

for (const button of all('.copy')) {
  button.addEventListener('click', async () => {
    const code = one('code', button.parentElement)
    try {
      await navigator.clipboard.writeText(code.textContent)
      button.textContent = 'Copied'
    } catch {
      // No clipboard on a plain http address: select the text, so that a keystroke copies it.
      getSelection().selectAllChildren(code)
      button.textContent = 'Selected'
    }
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  })
}

// Keys and tokens that were typed once are used in every form. They are not stored, and are lost when the page is closed.
const HEADERS = {
  publishableKey: ['X-Svc-Key', ''],
  secretKey: ['X-Svc-Key', ''],
  accessToken: ['Authorization', 'Bearer '],
  developerToken: ['Authorization', 'Bearer '],
}
addEventListener('input', ({ target }) => {
  const { credential } = target.dataset
  if (!credential) return
  for (const input of all(`[data-credential="${credential}"]`)) input.value = target.value
})

const values = (form, attribute) =>
  all(`[data-${attribute}]`, form).map((input) => [input.dataset[attribute], input.value.trim()])

function requestOf(form) {
  const { method, path } = form.dataset
  const params = Object.fromEntries(values(form, 'param'))
  const query = new URLSearchParams(values(form, 'query').filter(([, value]) => value !== ''))
  const headers = Object.fromEntries(values(form, 'header').filter(([, value]) => value !== ''))
  for (const [credential, value] of values(form, 'credential')) {
    const [name, prefix] = HEADERS[credential]
    if (value) headers[name] = prefix + value
  }
  const body = one('[data-body]', form)?.value
  if (body !== undefined) headers['Content-Type'] = 'application/json'

  const address = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name]))
  return [
    query.size > 0 ? `${address}?${query}` : address,
    { method, headers, body, credentials: 'omit', redirect: 'manual' },
  ]
}

function show(output, good, verdict, text) {
  const line = document.createElement('p')
  line.className = good ? 'verdict good' : 'verdict'
  line.textContent = verdict
  const pre = document.createElement('pre')
  pre.tabIndex = 0
  pre.textContent = text
  output.replaceChildren(line, pre)
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

async function send(form) {
  const output = one('output', form)
  const startedAt = performance.now()
  try {
    const [address, request] = requestOf(form)
    const answer = await fetch(address, { ...request, signal: AbortSignal.timeout(30_000) })
    const text = readable(await answer.text())
    const verdict = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - startedAt)} ms`
    show(output, answer.ok, verdict, text)
  } catch (error) {
    show(output, false, 'No answer', String(error))
  }
}

for (const form of all('.try form')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = one('[type="submit"]', form)
    button.disabled = true
    await send(form)
    button.disabled = false
  })
}
