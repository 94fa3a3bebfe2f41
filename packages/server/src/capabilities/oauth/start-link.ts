import { startPlayerSignIn } from '@svc/contract/player-sign-in'
import { problemsOf } from '@svc/contract/problems'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'

import { ApiError } from '../../platform/api-error.ts'

const body = Compile(startPlayerSignIn.body)

/** The fields of `POST …/start`, out of the address of `GET …/start`. */
export function readStart({ redirectUrl, challenge, mode }: Record<string, string>) {
  const start: unknown = { redirectUrl, challenge, ...(mode !== undefined && { mode }) }
  if (!body.Check(start)) throw new ApiError('invalid_request', { errors: problemsOf(body.Errors(start)) })
  return start as Static<typeof startPlayerSignIn.body>
}
