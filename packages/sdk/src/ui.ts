import type { Svc } from './connect.ts'
import type { SvcErrorCode } from './errors.ts'
import type { Provider } from './providers.ts'
import type { Player } from './session.ts'
import { type Messages, messagesFor } from './ui-messages.ts'

export type SignInOptions = {
  /** Like `pt-BR`; the browser's own when left out. */
  language?: string
  start?: Mode
  /** A plain look, themed by the custom properties `--svc-…`; without it the dialog has no style but your page's. */
  styled?: boolean
}

type Mode = 'signIn' | 'signUp' | 'forgot'
type Screen = { svc: Svc; messages: Messages; providers: Provider[]; hasEmail: boolean; newsBox: string }

const TITLES: Record<Provider, string> = { google: 'Google', discord: 'Discord', apple: 'Apple', x: 'X' }
/** They have changed their mind; there is nothing to say about it. */
const SILENT: SvcErrorCode[] = ['popup_closed', 'popup_unreachable', 'access_denied', 'aborted']

/**
 * A dialog to sign in or to create an account; a guest who creates one keeps everything.
 * Resolves with the player, or with null when the dialog was closed.
 */
export async function openSignIn(svc: Svc, options: SignInOptions = {}): Promise<Player | null> {
  const { language = navigator.language, start = 'signIn', styled = false } = options
  const messages = messagesFor(language)
  const { auth } = await svc.config.read()
  const box = await svc.auth.newsBox(messages.code).catch(() => ({ show: false, html: '' }))
  const screen: Screen = {
    svc,
    messages,
    providers: auth.providers as Provider[],
    hasEmail: auth.email,
    newsBox: box.show ? box.html : '',
  }

  if (screen.providers.length === 0 && !screen.hasEmail)
    console.warn(
      'svc: nothing to sign in with. Turn on features.emailLogin or a provider in svc.config.json.',
    )

  const dialog = element('dialog', {
    class: 'svc-dialog',
    'aria-labelledby': 'svc-title',
    lang: messages.code,
  })
  if (styled) addStyles()
  document.body.append(dialog)

  return new Promise((resolve) => {
    let player: Player | null = null
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(player)
    })
    const done = (signedIn: Player) => {
      player = signedIn
      dialog.close()
    }
    const show = (mode: Mode) => {
      dialog.replaceChildren(...contents(screen, mode, show, done))
      dialog.querySelector<HTMLElement>('.svc-provider, .svc-input, .svc-link')?.focus()
    }
    dialog.addEventListener('click', (event) => {
      if (event.target instanceof Element && event.target.closest('[data-close]')) dialog.close()
    })
    dialog.showModal()
    show(start)
  })
}

function contents(
  screen: Screen,
  mode: Mode,
  show: (mode: Mode) => void,
  done: (player: Player) => void,
): Element[] {
  const { messages, providers, hasEmail } = screen
  const said = element('p', { class: 'svc-said', role: 'alert' })
  const say = (text: string, isError = false) => {
    said.textContent = text
    said.classList.toggle('svc-error', isError)
  }

  /** One thing at a time; what goes wrong is said, and read aloud. */
  async function attempt(work: () => Promise<Player | string | undefined>, form?: HTMLFormElement) {
    say('')
    const focused = document.activeElement
    form?.setAttribute('aria-busy', 'true')
    const buttons = [...(form?.querySelectorAll('button') ?? [])]
    buttons.forEach((button) => (button.disabled = true))
    try {
      const player = await work()
      if (typeof player === 'string') say(player)
      else if (player) done(player)
    } catch (error) {
      const code = (error as { code?: SvcErrorCode }).code ?? 'network_error'
      if (!SILENT.includes(code)) say(messages.errors[code] ?? messages.errors.other, true)
    } finally {
      form?.removeAttribute('aria-busy')
      buttons.forEach((button) => (button.disabled = false))
      // A button that was off has lost it.
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus()
    }
  }

  const title = mode === 'signUp' ? messages.signUp : mode === 'forgot' ? messages.forgot : messages.signIn
  const others = [
    ...(mode === 'signIn' && hasEmail ? [link(messages.forgot, () => show('forgot'))] : []),
    mode === 'signIn'
      ? link(messages.toSignUp, () => show('signUp'))
      : link(messages.toSignIn, () => show('signIn')),
  ]
  return [
    element('h2', { id: 'svc-title', class: 'svc-title' }, title),
    element('button', { type: 'button', class: 'svc-close', 'data-close': '' }, messages.close),
    ...(mode === 'forgot'
      ? []
      : providers.map((provider) => providerButton(screen, mode, provider, attempt))),
    ...(hasEmail ? [emailForm(screen, mode, attempt, say)] : []),
    said,
    element('nav', { class: 'svc-others' }, ...others),
  ]
}

/** Who is signed in, or what is to be said. */
type Attempt = (work: () => Promise<Player | string | undefined>, form?: HTMLFormElement) => Promise<void>

function providerButton({ svc, messages }: Screen, mode: Mode, provider: Provider, attempt: Attempt) {
  const text = messages.continueWith(TITLES[provider])
  const button = element('button', { type: 'button', class: `svc-provider svc-${provider}` }, text)
  let isBlocked = false
  let isTaken = false
  // A guest keeps everything unless the account is another player's, and that is said before anything is left behind.
  const enter = () =>
    svc.auth.signedIn && !isTaken && (mode === 'signUp' || svc.player.isGuest)
      ? svc.auth.link(provider, { mode: isBlocked ? 'redirect' : 'popup' })
      : svc.auth.signIn(provider, { mode: isBlocked ? 'redirect' : 'popup' })
  const go = () =>
    enter().catch((error: { code?: SvcErrorCode }) => {
      // Some browsers open no window at all: the next press does without.
      isBlocked ||= error.code === 'popup_blocked'
      isTaken = mode === 'signIn' && error.code === 'identity_already_linked'
      if (isTaken) return messages.taken
      throw error
    })
  button.addEventListener('click', () => void attempt(go))
  return button
}

function emailForm(screen: Screen, mode: Mode, attempt: Attempt, say: (text: string) => void) {
  const { svc, messages, newsBox } = screen
  const isNew = mode === 'signUp'
  const form = element('form', { class: 'svc-form' })
  form.append(...field('email', messages.email, { type: 'email', autocomplete: 'email', maxlength: '254' }))
  if (mode !== 'forgot')
    form.append(
      ...field('password', messages.password, {
        type: 'password',
        autocomplete: isNew ? 'new-password' : 'current-password',
        maxlength: '256',
        ...(isNew && { minlength: '8', 'aria-describedby': 'svc-rule' }),
      }),
    )
  if (isNew) {
    form.append(element('p', { id: 'svc-rule', class: 'svc-rule' }, messages.passwordRule))
    // Exactly as the service draws it: separate, and unchecked.
    form.insertAdjacentHTML('beforeend', newsBox)
  }
  const action = mode === 'forgot' ? messages.sendLink : isNew ? messages.signUp : messages.signIn
  form.append(element('button', { class: 'svc-submit' }, action))

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const given = new FormData(form)
    const [email, password] = [given.get('email') as string, (given.get('password') ?? '') as string]
    const account = { email, password, newsOptIn: given.has('newsOptIn'), language: messages.code }
    void attempt(async () => {
      if (mode === 'signIn') return svc.auth.logIn({ email, password })
      if (isNew)
        return svc.auth.signedIn && svc.player.isGuest
          ? svc.auth.linkEmail(account)
          : svc.auth.signUp(account)
      await svc.auth.forgotPassword(email, { language: messages.code })
      say(messages.linkSent)
      return undefined
    }, form)
  })
  return form
}

function field(name: string, text: string, attributes: Record<string, string>): Element[] {
  const id = `svc-${name}`
  return [
    element('label', { for: id, class: 'svc-label' }, text),
    element('input', { id, name, class: 'svc-input', required: '', ...attributes }),
  ]
}

function link(text: string, act: () => void) {
  const button = element('button', { type: 'button', class: 'svc-link' }, text)
  button.addEventListener('click', act)
  return button
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string>,
  ...children: (string | Element)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

let styles: CSSStyleSheet | undefined

function addStyles() {
  if (styles) return
  styles = new CSSStyleSheet()
  styles.replaceSync(LOOK)
  document.adoptedStyleSheets.push(styles)
}

const LOOK = `
.svc-dialog { width: min(23rem, calc(100vw - 2rem)); box-sizing: border-box; padding: 1.5rem; border: 0;
  border-radius: var(--svc-radius, .75rem); font: var(--svc-font, 1rem/1.5 system-ui, sans-serif);
  color: var(--svc-text, light-dark(#1b1f24, #e8eaed)); background: var(--svc-background, light-dark(#fff, #1a1f25));
  color-scheme: light dark; box-shadow: 0 1rem 3rem rgb(0 0 0 / .35);
  --edge: light-dark(#848d97, #6b7683); --quiet: light-dark(#57606a, #9aa4af) }
.svc-dialog[open] { display: flex; flex-direction: column; gap: .75rem }
.svc-dialog::backdrop { background: rgb(0 0 0 / .5) }
.svc-title { margin: 0; padding-inline-end: 6rem; font-size: 1.25rem; line-height: 1.4 }
.svc-form { display: flex; flex-direction: column; gap: .375rem }
.svc-provider + .svc-form { margin-top: .25rem; padding-top: .75rem; border-top: 1px solid color-mix(in srgb, var(--edge) 45%, transparent) }
.svc-label { font-size: .875rem }
.svc-input { box-sizing: border-box; width: 100%; margin-bottom: .375rem; font: inherit; padding: .5rem .75rem; color: inherit;
  background: transparent; border: 1px solid var(--edge); border-radius: var(--svc-radius, .5rem) }
.svc-dialog button { font: inherit; padding: .5rem 1rem; cursor: pointer; border-radius: var(--svc-radius, .5rem);
  border: 1px solid var(--edge); background: transparent; color: inherit }
.svc-dialog .svc-submit { margin-top: .375rem; border: 0; font-weight: 600;
  color: var(--svc-accent-text, #fff); background: var(--svc-accent, #2457d6) }
.svc-dialog button:disabled { opacity: .6; cursor: default }
.svc-dialog :focus-visible { outline: 3px solid var(--svc-accent, light-dark(#2457d6, #7aa7ff)); outline-offset: 2px }
.svc-dialog .svc-close { position: absolute; top: 1.375rem; inset-inline-end: 1rem; padding: .25rem .5rem; border: 0; color: var(--quiet) }
.svc-others { display: flex; flex-direction: column; align-items: start; font-size: .875rem }
.svc-dialog .svc-link { border: 0; padding: .25rem 0; text-align: start; text-decoration: underline; text-underline-offset: .2em }
.svc-news { display: flex; gap: .5rem; align-items: start; font-size: .875rem }
.svc-news input { flex: none; width: 1rem; height: 1rem; margin: .2rem 0 0 }
.svc-rule, .svc-said { margin: 0; font-size: .875rem }
.svc-rule { color: var(--quiet) }
.svc-error { color: var(--svc-error, light-dark(#b3261e, #ff8a80)) }
.svc-said:empty { display: none }
`
