import type { Svc } from '../connect.ts'
import type { SvcError, SvcErrorCode } from '../http/errors.ts'
import type { Provider } from '../session/providers.ts'
import type { Player } from '../session/session.ts'
import { type Messages, messagesFor } from './messages.ts'
import { addStyles } from './styles.ts'

/** Options for `openSignIn`. */
export type SignInOptions = {
  /** Language tag such as `pt-BR` (default: the browser's language). */
  language?: string
  /** What the dialog shows first: sign-in or sign-up. */
  start?: Mode
  /** Adds a simple style, which you adapt with the CSS properties `--svc-…` (default: only your page's own styles). */
  styled?: boolean
}

type Mode = 'signIn' | 'signUp' | 'forgot'
type Screen = { svc: Svc; messages: Messages; providers: Provider[]; hasEmail: boolean; newsBox: string }
/** Actions of the dialog, for its parts. */
type Dialog = {
  show(mode: Mode): void
  /** Replaces the content of the dialog. */
  showOnly(...contents: Element[]): void
  /** Closes the dialog with this player as its result. */
  done(player: Player): void
  /** Sets the result of the dialog, without closing it. */
  signedIn(player: Player): void
}
/** Runs one step: shows its text, or its error; a player closes the dialog. */
type Attempt = (work: () => Promise<Player | string | undefined>, form?: HTMLFormElement) => Promise<void>

const TITLES: Record<Provider, string> = { google: 'Google', discord: 'Discord', apple: 'Apple', x: 'X' }
/** The player cancelled: no error is shown. */
const SILENT: SvcErrorCode[] = ['popup_closed', 'popup_unreachable', 'access_denied', 'aborted']

/**
 * Opens a dialog to sign in or to create an account. A guest who creates one keeps everything. If the account already belongs to
 * another player, the dialog switches to that player; a guest who has saves or stats is asked first. Resolves with the player, or
 * with null if the dialog was closed.
 *
 * @example
 * import { openSignIn } from '@svc/sdk/ui'
 *
 * signInButton.onclick = async () => {
 *   const player = await openSignIn(svc, { styled: true })
 *   if (player) console.log(`Hello ${player.displayName}`)
 * }
 */
export async function openSignIn(svc: Svc, options: SignInOptions = {}): Promise<Player | null> {
  const { language = navigator.language, start = 'signIn', styled = false } = options
  const messages = messagesFor(language)
  const { auth } = await svc.config.get()
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
    let result: Player | null = null
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(result)
    })
    const showOnly = (...contents: Element[]) => {
      dialog.replaceChildren(...contents)
      dialog.querySelector<HTMLElement>('.svc-provider, .svc-input, .svc-submit, .svc-link')?.focus()
    }
    const parts: Dialog = {
      show: (mode) => showOnly(...contents(screen, mode, parts)),
      showOnly,
      done(player) {
        result = player
        dialog.close()
      },
      signedIn: (player) => (result = player),
    }
    dialog.addEventListener('click', (event) => {
      if (event.target instanceof Element && event.target.closest('[data-close]')) dialog.close()
    })
    dialog.showModal()
    const { returned } = svc.auth
    // A sign-in by redirect ended with the question; it is asked once.
    if (returned && 'signIn' in returned) {
      svc.auth.returned = undefined
      ask(screen, start, parts, returned)
    } else parts.show(start)
  })
}

function contents(screen: Screen, mode: Mode, dialog: Dialog): Element[] {
  const { messages, providers, hasEmail } = screen
  const { said, attempt } = attempts(messages, dialog)
  const title = mode === 'signUp' ? messages.signUp : mode === 'forgot' ? messages.forgot : messages.signIn
  const others = [
    ...(mode === 'signIn' && hasEmail ? [link(messages.forgot, () => dialog.show('forgot'))] : []),
    mode === 'signIn'
      ? link(messages.toSignUp, () => dialog.show('signUp'))
      : link(messages.toSignIn, () => dialog.show('signIn')),
  ]
  return [
    ...heading(messages, title),
    ...(mode === 'forgot'
      ? []
      : providers.map((provider) => providerButton(screen, mode, provider, dialog, attempt))),
    ...(hasEmail ? [emailForm(screen, mode, dialog, attempt)] : []),
    said,
    element('nav', { class: 'svc-others' }, ...others),
  ]
}

const heading = (messages: Messages, title: string) => [
  element('h2', { id: 'svc-title', class: 'svc-title' }, title),
  element('button', { type: 'button', class: 'svc-close', 'data-close': '' }, messages.close),
]

/** A line of text, and the steps that write to it. */
function attempts(messages: Messages, { done }: Pick<Dialog, 'done'>): { said: Element; attempt: Attempt } {
  const said = element('p', { class: 'svc-said', role: 'alert' })
  const say = (text: string, isError = false) => {
    said.textContent = text
    said.classList.toggle('svc-error', isError)
  }

  /** Runs one step with the buttons disabled; an error is shown, and announced to screen readers. */
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
      // A disabled button has lost the focus.
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus()
    }
  }

  return { said, attempt }
}

function providerButton(
  screen: Screen,
  mode: Mode,
  provider: Provider,
  dialog: Dialog,
  attempt: Attempt,
): Element {
  const { svc, messages } = screen
  const text = messages.continueWith(TITLES[provider])
  const button = element('button', { type: 'button', class: `svc-provider svc-${provider}` }, text)
  let isBlocked = false
  async function enter() {
    const how = { mode: isBlocked ? 'redirect' : 'popup' } as const
    if (!svc.auth.signedIn) return svc.auth.signInWith(provider, how)
    if (svc.player.isGuest) return svc.auth.linkWith(provider, { ...how, orSignIn: true })
    return mode === 'signUp' ? svc.auth.linkWith(provider, how) : svc.auth.signInWith(provider, how)
  }
  const go = () =>
    enter().catch((error: SvcError) => {
      // The browser blocked the window: the next click uses a redirect.
      isBlocked ||= error.code === 'popup_blocked'
      if (!error.signIn) throw error
      ask(screen, mode, dialog, error)
      return undefined
    })
  button.addEventListener('click', () => void attempt(go))
  return button
}

/** Asks before a guest with saves or stats switches to another player. */
function ask({ messages }: Screen, mode: Mode, dialog: Dialog, error: SvcError) {
  const { said, attempt } = attempts(messages, dialog)
  const name = String(error.details['displayName'])
  const yes = element('button', { type: 'button', class: 'svc-submit' }, messages.switchTo(name))
  yes.addEventListener('click', () => void attempt(async () => error.signIn?.()))
  dialog.showOnly(
    ...heading(messages, messages.switchTitle),
    element('p', { class: 'svc-text' }, messages.switchText(name)),
    yes,
    said,
    element(
      'nav',
      { class: 'svc-others' },
      link(messages.stayGuest, () => dialog.show(mode)),
    ),
  )
}

function showMailSent({ messages }: Screen, dialog: Dialog, player: Player) {
  dialog.signedIn(player)
  dialog.showOnly(
    ...heading(messages, messages.checkEmail),
    element('p', { class: 'svc-text', role: 'status' }, messages.mailSent(player.email ?? '')),
    element('button', { type: 'button', class: 'svc-submit', 'data-close': '' }, messages.continueButton),
  )
}

function emailForm(screen: Screen, mode: Mode, dialog: Dialog, attempt: Attempt) {
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
    // The HTML of the service, unchanged: separate and unchecked.
    form.insertAdjacentHTML('beforeend', newsBox)
  }
  const action = mode === 'forgot' ? messages.sendLink : isNew ? messages.signUp : messages.signIn
  form.append(element('button', { class: 'svc-submit' }, action))

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const input = new FormData(form)
    const [email, password] = [input.get('email') as string, (input.get('password') ?? '') as string]
    const account = { email, password, newsOptIn: input.has('newsOptIn'), language: messages.code }
    void attempt(async () => {
      if (mode === 'signIn') return svc.auth.signInWithEmail({ email, password })
      if (isNew) {
        const isGuest = svc.auth.signedIn && svc.player.isGuest
        showMailSent(
          screen,
          dialog,
          await (isGuest ? svc.auth.linkEmail(account) : svc.auth.signUpWithEmail(account)),
        )
        return undefined
      }
      await svc.auth.forgotPassword(email, { language: messages.code })
      return messages.linkSent
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
