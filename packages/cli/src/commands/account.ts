import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, passwordStdin, text } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure, isFailure } from '../output/failure.ts'
import { isLoopback } from '../service/address.ts'
import { signInWithCode } from '../sign-in/device-sign-in.ts'
import { LOCAL_EMAIL } from '../sign-in/session.ts'
import { inputText } from '../system.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc login`, `svc logout` and `svc whoami`. */
export function addSignInCommands(program: CommandGroup) {
  program.command('login', 'sign in as a developer', logIn, {
    email: text('--email <address>', 'account email'),
    passwordStdin,
    signUp: flag('--sign-up', 'create the account'),
    invitation: text('--invitation <token>', 'create the account with an invitation’s token or link'),
    tokenStdin: flag('--token-stdin', 'read a developer token (kds_…) from stdin'),
    web: flag('--web', 'sign in with a code that you confirm in the dashboard, also without a terminal'),
    local: flag('--local', 'use the local account on this machine; create it if needed'),
  })
  program.command('logout', 'end the session', logOut)
  program.command('whoami', 'print the signed-in account and the service', whoAmI)
}

type LogIn = {
  email?: string
  passwordStdin?: boolean
  signUp?: boolean
  invitation?: string
  tokenStdin?: boolean
  local?: boolean
  web?: boolean
  token?: string
}

async function logIn(context: Context, options: LogIn) {
  const { out, url } = context
  if (!isLoopback(url) && url.startsWith('http:'))
    out.warn(`${url} does not use https: the password is sent unencrypted`)
  const { email } = await credentialOf(context, options)
  out.done(`signed in at ${url} as ${email}`)
  return { url, email }
}

async function credentialOf(context: Context, options: LogIn) {
  const { session, ask, url } = context
  const { tokenStdin, local, passwordStdin, web, token } = options
  const invitation = options.invitation === undefined ? undefined : invitationToken(options.invitation)
  if (tokenStdin) return session.signInWithToken(await inputLine(context, '--token-stdin'))
  if (token !== undefined) return session.signInWithToken(token)
  if (local) return session.local()
  if (web) return signInWithCode(context)
  const isNewAccount = options.signUp || invitation !== undefined
  if (options.email === undefined && !isNewAccount && ask.canAsk) {
    if (!(await session.isNew())) return signInWithCode(context)
    const question = `Create a local developer account (${LOCAL_EMAIL})?`
    if (isLoopback(url) && (await ask.confirm(question, { byDefault: true }))) return session.local()
  }
  const email = options.email ?? (await ask.text('Email', OTHER_WAYS))
  const password = passwordStdin
    ? await inputLine(context, '--password-stdin')
    : await ask.secret('Password', '--password-stdin')
  if (isNewAccount) return session.signUp(withoutUndefined({ email, password, invitation }))

  return session.logIn({ email, password }).catch(async (error: unknown) => {
    if (!isFailure(error, 'invalid_credentials') || !ask.canAsk) throw error
    if (!(await ask.confirm(`No account matches this email and password. Create one for ${email}?`)))
      throw error
    return session.signUp({ email, password })
  })
}

const OTHER_WAYS = '--email and --password-stdin, --web, --token-stdin, or --local'

/** Accepts the token alone, or the link that contains it. */
const invitationToken = (text: string): string => /#(?:setup|invitation)=([\w-]+)/.exec(text)?.[1] ?? text

async function inputLine({ system }: Context, option: string): Promise<string> {
  const line = await inputText(system)
  if (line !== '') return line
  throw new Failure('usage', `${option}: stdin is empty.`, {
    fix: `Send it there: svc login ${option} < file`,
  })
}

async function logOut({ session, out, url }: Context) {
  await session.logOut()
  out.done(`signed out at ${url}`)
  return { url }
}

async function whoAmI({ calls, out, url }: Context) {
  const { developer } = await calls.developer('readMe', {})
  out.line(`${developer.email} at ${url}`)
  return { url, developer }
}

/** Requires a signed-in developer. A local service without any developer gets the local account; elsewhere it asks to sign in. */
export async function requireAccount(context: Context): Promise<void> {
  const { session, calls, ask, out, url, credentials } = context
  if (session.current() && (await isAccepted(context))) return
  const { setup, signUp, local } = await calls.anyone('readPlatformInfo', {})
  if (setup && isLoopback(url) && (signUp === 'open' || local?.operatorSocket)) {
    const { email, isOperator } = await session.local()
    out.info(
      `created the account ${email} on the local service; its password is stored in ${credentials.path}`,
    )
    if (isOperator === false)
      out.info(
        'another user runs the service: the set-up link that it printed creates the operator’s account',
      )
    return
  }
  if (setup)
    throw new Failure('signIn', `${url} has no developer account yet.`, {
      fix: 'Open the setup link that the service printed when it started, then run the command again.',
    })
  if (!ask.canAsk)
    throw new Failure('signIn', `You are not signed in at ${url}.`, {
      fix: `Run: svc login --web --url ${url}. Without a browser: svc login --email you@example.com --password-stdin --url ${url} (--sign-up creates the account). In CI, set SVC_TOKEN`,
    })
  out.line(`You are not signed in at ${url}.`)
  const { email } = await signInWithCode(context)
  out.done(`signed in as ${email}`)
}

/** False if the stored session has ended. A token that was given for this command must work. */
const isAccepted = ({ calls, session }: Context): Promise<boolean> =>
  calls.developer('readMe', {}).then(
    () => true,
    (error: unknown) => {
      if (!isFailure(error, 'unauthorized') || session.hasGivenToken) throw error
      return false
    },
  )
