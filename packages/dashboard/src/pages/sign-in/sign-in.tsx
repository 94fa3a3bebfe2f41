import { useEffect, useState } from 'preact/hooks'

import { asSvcError, call, type SvcError } from '../../developer.ts'
import { finishExternalSignIn, providerTitle, startExternalSignIn } from '../../external-sign-in.ts'
import { useCall } from '../../queries.ts'
import { keepToken } from '../../session.ts'
import { Logo } from '../../shell/logo.tsx'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Check, TextField } from '../../ui/field.tsx'
import { focusOnMount } from '../../ui/focus.ts'
import { notify } from '../../ui/messages.tsx'
import { ErrorNotice } from '../../ui/states.tsx'
import { Health } from './health.tsx'
import { invitationWords, LinkNotice, LocalAccount, useProjectInvitation } from './links.tsx'

type Mode = 'signIn' | 'signUp' | 'forgot'

/** The contents of the URL's fragment, which no server log contains. */
function linkInAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const setup = fragment.get('setup')
  const invitation = setup ?? fragment.get('invitation')
  const email = fragment.get('email') ?? ''
  return { isSetup: setup !== null, invitation, email, code: fragment.get('code') }
}

/** Sign-in, sign-up with an invitation or the set-up link, a forgotten password, and the one-time code of `svc dashboard`. */
export default function SignIn() {
  const [link] = useState(linkInAddress)
  const [chosen, setMode] = useState<Mode>()
  const [isOpening, setOpening] = useState(link.code !== null)
  const [error, setError] = useState<SvcError>()
  const [stays, setStays] = useState(true)
  const [isMailSent, setMailSent] = useState(false)
  const info = useCall('readPlatformInfo', {})
  const project = useProjectInvitation()
  const checked = useCall(
    'findSignUpLink',
    { body: { invitation: link.invitation ?? '' } },
    { enabled: link.invitation !== null },
  )
  const isGone = checked.error?.code === 'invalid_or_expired_token'
  const invitation = isGone ? null : link.invitation
  const maySignUp = invitation !== null || info.data?.signUp === 'open'
  const mode = chosen ?? (invitation !== null || (project && maySignUp) ? 'signUp' : 'signIn')
  const showError = (failure: unknown) => setError(asSvcError(failure))

  useEffect(() => {
    document.title = 'Sign in · svc'
    if (link.code !== null) openWith(link.code)
    finishExternalSignIn(invitation).then((token) => token !== undefined && keepToken(token, true), showError)
  }, [])

  function openWith(code: string) {
    history.replaceState(null, '', location.pathname + location.search)
    call('openBrowserSession', { body: { code } }).then(
      ({ token, developer }) => {
        keepToken(token, true)
        notify(`Signed in as ${developer.email}.`)
      },
      (failure: unknown) => {
        setOpening(false)
        showError(failure)
      },
    )
  }

  const { run, busy } = useAction(async (form: FormData) => {
    const raw = (name: string) => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    const text = (name: string) => raw(name).trim()
    const [email, password] = [text('email'), raw('password')]
    setError(undefined)
    if (mode === 'forgot') {
      await call('forgotPassword', { body: { email } })
      return setMailSent(true)
    }
    const session =
      mode === 'signIn'
        ? await call('logIn', { body: { email, password } })
        : await call('signUp', {
            body: {
              email,
              password,
              ...(text('name') && { name: text('name') }),
              ...(text('inviteCode') && { inviteCode: text('inviteCode') }),
              ...(invitation !== null && { invitation }),
            },
          })
    history.replaceState(null, '', location.pathname + location.search)
    keepToken(session.token, stays)
  }, showError)

  const change = (to: Mode) => {
    setMode(to)
    setError(undefined)
    setMailSent(false)
  }
  const words = {
    ...WORDS[mode === 'signUp' && link.isSetup && !isGone ? 'setUp' : mode],
    ...(project && mode !== 'forgot' && invitationWords(project, mode)),
  }
  const email = link.email || (project?.email ?? '')
  if (isOpening)
    return (
      <main class="alone" aria-busy="true">
        <h1 class="visually-hidden">Signing in</h1>
      </main>
    )
  return (
    <div class="entry">
      <main class="entry-main">
        <div class="entry-form">
          <span class="logo">
            <Logo size={26} />
          </span>
          <header class="stack">
            <h1>{words.title}</h1>
            <p class="soft">{words.about}</p>
          </header>
          {isGone && <LinkNotice isSetup={link.isSetup} />}
          {mode === 'signIn' && <LocalAccount email={info.data?.local?.account} />}
          <form
            key={`${mode} ${email}`}
            onSubmit={(event) => {
              event.preventDefault()
              run(new FormData(event.currentTarget))
            }}
            class="entry-fields"
          >
            {mode === 'signUp' && (
              <TextField
                label="Name"
                hint="Shown in the audit log. Optional."
                name="name"
                maxLength={80}
                autocomplete="name"
              />
            )}
            <TextField
              label="Email"
              name="email"
              type="email"
              required
              autocomplete="username"
              defaultValue={email}
              inputRef={focusOnMount}
              spellcheck={false}
            />
            {mode !== 'forgot' && (
              <TextField
                label="Password"
                hint={mode === 'signUp' ? 'At least 8 characters. A passphrase is best.' : undefined}
                side={
                  mode === 'signIn' && (
                    <button type="button" class="link small" onClick={() => change('forgot')}>
                      Forgot password?
                    </button>
                  )
                }
                name="password"
                type="password"
                required
                minLength={mode === 'signUp' ? 8 : 1}
                maxLength={256}
                autocomplete={mode === 'signUp' ? 'new-password' : 'current-password'}
              />
            )}
            {mode === 'signUp' && info.data?.billing !== undefined && info.data.billing !== 'off' && (
              <TextField
                label="Invite code"
                hint="Adds credit to your account. Optional."
                name="inviteCode"
                maxLength={128}
                autocomplete="off"
              />
            )}
            {mode !== 'forgot' && (
              <Check checked={stays} change={setStays}>
                Stay signed in on this computer
              </Check>
            )}
            {error && <ErrorNotice error={error} />}
            {isMailSent && (
              <p class="note" role="status">
                If that account exists, we sent it a link.
              </p>
            )}
            <Button kind="main" type="submit" busy={busy} class="wide-button">
              {words.submit}
            </Button>
          </form>
          {mode !== 'forgot' && <Providers names={info.data?.oauthProviders ?? []} onError={showError} />}
          <p class="small soft">
            {mode === 'signIn' && maySignUp && (
              <>
                New here?{' '}
                <button type="button" class="link" onClick={() => change('signUp')}>
                  Create an account
                </button>
              </>
            )}
            {mode === 'signIn' && !maySignUp && info.data && (
              <>{info.data.setup ? SETUP_HINT : 'New accounts need an invitation from the operator.'}</>
            )}
            {mode !== 'signIn' && (
              <>
                Already have an account?{' '}
                <button type="button" class="link" onClick={() => change('signIn')}>
                  Sign in
                </button>
              </>
            )}
          </p>
        </div>
      </main>
      <Health version={info.data?.version} />
    </div>
  )
}

const SETUP_HINT = 'This service has no accounts yet. It prints a setup link when it starts.'

const WORDS = {
  signIn: { title: 'Sign in', about: 'Sign in to your projects.', submit: 'Sign in' },
  signUp: { title: 'Create an account', about: 'Then create your first project.', submit: 'Create account' },
  setUp: {
    title: 'Set up this service',
    about: 'Create the first account. It will be the operator account.',
    submit: 'Create account',
  },
  forgot: {
    title: 'New password',
    about: 'We will email you a link to set one.',
    submit: 'Send email',
  },
}

const Providers = ({ names, onError }: { names: readonly string[]; onError: (error: unknown) => void }) =>
  names.length === 0 ? null : (
    <div class="entry-providers">
      {names.map((name) => (
        <Button
          key={name}
          class="wide-button"
          onClick={() => startExternalSignIn(name, 'signin').catch(onError)}
        >
          Continue with {providerTitle(name)}
        </Button>
      ))}
    </div>
  )
