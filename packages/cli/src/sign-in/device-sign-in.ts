import { setTimeout as pause } from 'node:timers/promises'

import type { Context } from '../context.ts'
import { Failure, ignoring } from '../output/failure.ts'
import { untilInterrupted } from '../output/interrupt.ts'
import { openInBrowser } from '../output/open-browser.ts'
import { printable } from '../output/output.ts'
import type { Credential } from './credentials.ts'

const INTERVAL_MIN_SECONDS = 1
const INTERVAL_MAX_SECONDS = 30

/** Signs in with a one-time code that a signed-in developer confirms in the dashboard. */
export async function signInWithCode({ session, out, system }: Context): Promise<Credential> {
  const { code, deviceSecret, url, expiresIn, intervalSeconds } = await session.startDeviceSignIn()
  out.info(`your one-time code: ${out.styled('bold', printable(code))}`)
  out.line(
    `Open ${printable(url)} and enter it there. It is valid for ${Math.round(expiresIn / 60)} minutes; Ctrl-C cancels.`,
  )
  out.resultLine({ code, url, expiresIn })
  if (out.isTerminal) openInBrowser(url)

  const intervalMs = Math.min(Math.max(intervalSeconds, INTERVAL_MIN_SECONDS), INTERVAL_MAX_SECONDS) * 1_000
  const endsAtMs = system.now().getTime() + expiresIn * 1_000
  const confirmed = async (): Promise<Credential> => {
    while (system.now().getTime() < endsAtMs) {
      await pause(intervalMs)
      // Both pass: the service restarts, or many command lines share this network address.
      const collected = session.collectDeviceSignIn(deviceSecret)
      const credential = await collected.catch(ignoring('unreachable', 'rate_limited'))
      if (credential) return credential
    }
    throw new Failure('signIn', 'Nobody confirmed the code in time.', { fix: 'Run the command again.' })
  }
  return untilInterrupted(system, () => 'Canceled. You are not signed in.', confirmed())
}
