import { problemsIn } from '@svc/contract/common/problems'
import { startPlayerSignIn } from '@svc/contract/player-sign-in'
import type { Static } from 'typebox'

import { ApiError } from '../../platform/api-error.ts'
import { lazy } from '../../platform/memory/lazy.ts'

/** Loaded at the first use: the compiler is a third of all modules and would slow the start. */
const compiled = lazy(async () => (await import('typebox/schema')).Compile(startPlayerSignIn.body))

/** Reads the fields of `POST …/start` from the query of `GET …/start`. */
export async function parseStartQuery({ redirectUrl, challenge, mode }: Record<string, string>) {
  const start: unknown = { redirectUrl, challenge, ...(mode !== undefined && { mode }) }
  const body = await compiled()
  if (!body.Check(start))
    throw new ApiError('invalid_request', { errors: problemsIn(startPlayerSignIn.body, start) })
  return start as Static<typeof startPlayerSignIn.body>
}
