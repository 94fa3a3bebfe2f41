import { useEffect, useState } from 'preact/hooks'

import { asSvcError, call, type SvcError } from '../../developer.ts'
import { finishExternalSignIn, providerTitle, startExternalSignIn } from '../../external-sign-in.ts'
import { useCall } from '../../queries.ts'
import { BASE } from '../../route.ts'
import { keepToken } from '../../session.ts'
import { Logo } from '../../shell/logo.tsx'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Check, TextField } from '../../ui/field.tsx'
import { focusOnMount } from '../../ui/focus.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { Health } from './health.tsx'

type Mode = 'signIn' | 'signUp' | 'forgot'

/** The contents of the URL's fragment, which no server log contains. */
function linkInAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const setup = fragment.get('setup')
  const invitation = setup ?? fragment.get('invitation')
  return { isSetup: setup !== null, invitation, email: fragment.get('email') ?? '' }
}

/** Sign-in, sign-up with an invitation or the set-up link, and a forgotten password. */
export default function SignIn() {
  const [link] = useState(linkInAddress)
  const [mode, setMode] = useState<Mode>(link.invitation === null ? 'signIn' : 'signUp')
  const [error, setError] = useState<SvcError>()
  const [stays, setStays] = useState(true)
  const [isMailSent, setMailSent] = useState(false)
  const info = useCall('readPlatformInfo', {})
  const showError = (failure: unknown) => setError(asSvcError(failure))

  useEffect(() => {
    document.title = 'Sign in · svc'
    finishExternalSignIn(link.invitation).then(
      (token) => token !== undefined && keepToken(token, true),
      showError,
    )
  }, [])

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
              ...(link.invitation !== null && { invitation: link.invitation }),
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
  const maySignUp = link.invitation !== null || info.data?.signUp === 'open'
  const words = WORDS[mode === 'signUp' && link.isSetup ? 'setUp' : mode]
  return (
    <div class="entry">
      <main class="entry-main">
        <div class="entry-form">
          <span class="logo">
            <Logo size={26} />
          </span>
          <header class="stack">
            <h1>{words.title}</h1>
            <p class="soft">{isInvited() && mode !== 'forgot' ? INVITED : words.about}</p>
          </header>
          <form
            key={mode}
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
              defaultValue={link.email}
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

/** The link of an invitation to a project was opened: after the sign-in its page is shown. */
const isInvited = () => location.pathname.startsWith(`${BASE}/invitations/`)
const INVITED = 'Use the email address that was invited. You then see the invitation.'

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
