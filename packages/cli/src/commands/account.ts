import { text } from 'node:stream/consumers'

import { isLoopback } from '../address.ts'
import type { Context } from '../context.ts'
import { Failure, isFailure } from '../failure.ts'
import { LOCAL_EMAIL } from '../session.ts'

type LogIn = {
  email?: string
  passwordStdin?: boolean
  signUp?: boolean
  invitation?: string
  tokenStdin?: boolean
  local?: boolean
}

export async function logIn(context: Context, options: LogIn) {
  const { out, url } = context
  if (!isLoopback(url) && url.startsWith('http:'))
    out.warn(`${url} does not use https: the password is sent unencrypted`)
  const { email } = await credentialOf(context, options)
  out.done(`signed in at ${url} as ${email}`)
  return { url, email }
}

async function credentialOf({ session, ask, url }: Context, options: LogIn) {
  const { tokenStdin, local, passwordStdin } = options
  const invitation = options.invitation === undefined ? undefined : invitationToken(options.invitation)
  if (tokenStdin) return session.signInWithToken(await inputLine('--token-stdin'))
  if (local) return session.local()
  if (options.email === undefined && isLoopback(url) && ask.canAsk && !session.current()) {
    const wanted = await ask.confirm(`Create a local developer account (${LOCAL_EMAIL})?`, {
      byDefault: true,
    })
    if (wanted) return session.local()
  }
  const email =
    options.email ?? (await ask.text('Email', '--email and --password-stdin, --token-stdin, or --local'))
  const password = passwordStdin
    ? await inputLine('--password-stdin')
    : await ask.secret('Password', '--password-stdin')
  if (options.signUp || invitation !== undefined)
    return session.signUp({ email, password, ...(invitation !== undefined && { invitation }) })

  return session.logIn({ email, password }).catch(async (error: unknown) => {
    if (!isFailure(error, 'invalid_credentials') || !ask.canAsk) throw error
    if (!(await ask.confirm(`No account matches this email and password. Create one for ${email}?`)))
      throw error
    return session.signUp({ email, password })
  })
}

/** Accepts the token alone, or the link that contains it. */
const invitationToken = (text: string): string => /#(?:setup|invitation)=([\w-]+)/.exec(text)?.[1] ?? text

/** Passwords and session tokens are not arguments, because every user of the machine can read those. */
async function inputLine(option: string): Promise<string> {
  const line = (await text(process.stdin)).replace(/\r?\n$/, '')
  if (line !== '') return line
  throw new Failure('usage', `${option}: stdin is empty.`, {
    fix: `Send it there: svc login ${option} < file`,
  })
}

export async function logOut({ session, out, url }: Context) {
  await session.logOut()
  out.done(`signed out at ${url}`)
  return { url }
}

export async function whoAmI({ calls, out, url }: Context) {
  const { developer } = await calls.developer('readMe', {})
  out.line(`${developer.email} at ${url}`)
  return { url, developer }
}

/** Requires a signed-in developer; on a local service it creates the local account instead. */
export async function requireAccount({ session, out, url, credentials }: Context): Promise<void> {
  if (session.current()) return
  if (!isLoopback(url))
    throw new Failure('signIn', `You are not signed in at ${url}.`, { fix: `Run: svc login --url ${url}` })
  const { email, isNew } = await session.local()
  if (isNew)
    out.info(
      `created the account ${email} on the local service; its password is stored in ${credentials.path}`,
    )
}
