import { all, one } from './elements.ts'

const RESPONSE_TIMEOUT_MS = 30_000
const HEADERS: Record<string, [name: string, prefix: string]> = {
  publishableKey: ['X-Svc-Key', ''],
  secretKey: ['X-Svc-Key', ''],
  accessToken: ['Authorization', 'Bearer '],
  developerToken: ['Authorization', 'Bearer '],
}

/** Forms that send a call. Keys and tokens that are typed into one are in all of them, and are gone with the page: nothing is stored. */
export function start() {
  addEventListener('input', ({ target }) => {
    const credential = target instanceof HTMLInputElement ? target.dataset['credential'] : undefined
    if (!(target instanceof HTMLInputElement) || credential === undefined) return
    for (const input of all<HTMLInputElement>(`[data-credential="${credential}"]`)) input.value = target.value
  })
  for (const form of all<HTMLFormElement>('.try form'))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form)
    })
}

async function send(form: HTMLFormElement) {
  const button = one<HTMLButtonElement>('[type="submit"]', form)
  const output = one('output', form)
  if (!button || !output) return
  button.disabled = true
  const startedAt = performance.now()
  try {
    const [address, request] = requestOf(form)
    const answer = await fetch(address, { ...request, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) })
    const text = readable(await answer.text())
    const duration = Math.round(performance.now() - startedAt)
    show(output, answer.ok, `${answer.status} ${answer.statusText} · ${duration} ms`, text)
  } catch (error) {
    show(output, false, 'No answer', String(error))
  }
  button.disabled = false
}

function requestOf(form: HTMLFormElement): [address: string, request: RequestInit] {
  const { method = 'GET', path = '' } = form.dataset
  const params = new Map(values(form, 'param'))
  const query = new URLSearchParams(values(form, 'query').filter(([, value]) => value !== ''))
  const headers = new Headers(values(form, 'header').filter(([, value]) => value !== ''))
  for (const [credential, value] of values(form, 'credential')) {
    const [name, prefix] = HEADERS[credential] ?? ['', '']
    if (value !== '' && name !== '') headers.set(name, prefix + value)
  }
  const body = one<HTMLTextAreaElement>('[data-body]', form)?.value
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  const address = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params.get(name) ?? ''))
  return [
    query.size > 0 ? `${address}?${query}` : address,
    { method, headers, credentials: 'omit', redirect: 'manual', ...(body !== undefined && { body }) },
  ]
}

const values = (form: HTMLFormElement, attribute: string): [name: string, value: string][] =>
  all<HTMLInputElement>(`[data-${attribute}]`, form).map((input) => [
    input.dataset[attribute] ?? '',
    input.value.trim(),
  ])

function show(output: HTMLElement, isGood: boolean, verdict: string, text: string) {
  const line = document.createElement('p')
  line.className = isGood ? 'verdict is-good' : 'verdict is-bad'
  line.textContent = verdict
  const pre = document.createElement('pre')
  pre.tabIndex = 0
  pre.textContent = text
  output.replaceChildren(line, pre)
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
