import * as contract from '@svc/contract/operator'

import type { Route } from '../../edge/http/routes.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { SignUp } from './sign-up.ts'

export function operatorRoutes(route: Route, signUp: SignUp) {
  route(contract.listDevelopers, () => signUp.list())

  route(contract.inviteDeveloper, async ({ body }) => {
    signUp.requireInvitations()
    const { email, expiresAt, link, isMailed } = await signUp.invite(body.email)
    return { invitation: { email, expiresAt }, link, mailed: isMailed }
  })

  route(contract.revokeInvitation, async ({ params }) => {
    if ((await signUp.revoke(params.email)) === 0) throw new ApiError('not_found')
    return { deleted: true as const }
  })
}
