import { all, one } from './elements.ts'

const RESPONSE_TIMEOUT_MS = 30_000
const STORED_UNDER = 'svc.docs.try.'
const HEADERS: Record<string, [name: string, prefix: string]> = {
  publishableKey: ['X-Svc-Key', ''],
  secretKey: ['X-Svc-Key', ''],
  accessToken: ['Authorization', 'Bearer '],
  developerToken: ['Authorization', 'Bearer '],
}

/** Forms that send a call. Keys and tokens that are typed into one are in all of them, on every page of this tab until it is closed. */
export function start() {
  for (const credential of Object.keys(HEADERS))
    fill(credential, sessionStorage.getItem(STORED_UNDER + credential) ?? '')
  addEventListener('input', ({ target }) => {
    const credential = target instanceof HTMLInputElement ? target.dataset['credential'] : undefined
    if (target instanceof HTMLInputElement && credential !== undefined) keep(credential, target.value.trim())
  })
  for (const form of all<HTMLFormElement>('.try form'))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form)
    })
  for (const button of all<HTMLButtonElement>('[data-new-guest]'))
    button.addEventListener('click', () => void useNewGuest(button))
}

function fill(credential: string, value: string) {
  for (const input of all<HTMLInputElement>(`[data-credential="${credential}"]`))
    if (input !== document.activeElement) input.value = value
}

function keep(credential: string, value: string) {
  fill(credential, value)
  sessionStorage.setItem(STORED_UNDER + credential, value)
}

/** Creates a guest with the publishable key of the form and fills in its token. */
async function useNewGuest(button: HTMLButtonElement) {
  const form = button.closest('form')
  const key = form && one<HTMLInputElement>('[data-credential="publishableKey"]', form)
  const status = button.nextElementSibling
  if (!form || !key || !status) return
  if (key.value.trim() === '') {
    status.textContent = 'Enter the publishable key first.'
    return key.focus()
  }
  button.disabled = true
  status.textContent = ''
  try {
    const response = await fetch('/v1/auth/guest', {
      method: 'POST',
      headers: { 'X-Svc-Key': key.value.trim(), 'Content-Type': 'application/json' },
      body: '{}',
      credentials: 'omit',
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    })
    const answer = (await response.json()) as {
      accessToken?: string
      player?: { displayName: string }
      error?: { message: string }
    }
    if (answer.accessToken === undefined) status.textContent = answer.error?.message ?? 'No token.'
    else {
      keep('accessToken', answer.accessToken)
      status.textContent = `You are ${answer.player?.displayName ?? 'a new guest'}, for 15 minutes.`
    }
  } catch (error) {
    status.textContent = String(error)
  }
  button.disabled = false
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
    show(output, false, 'No response', String(error))
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
