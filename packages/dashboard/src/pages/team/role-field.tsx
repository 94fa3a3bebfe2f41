import type { MemberRole } from '@svc/contract/developers/members'

import { ABOUT_ROLES, MEMBER_ROLES, roleTitle } from './role-words.ts'

type Props = { chosen: MemberRole; choose: (role: MemberRole) => void }

/** A choice among the roles, each with what it may do. */
export const RoleField = ({ chosen, choose }: Props) => (
  <fieldset class="role-choice">
    <legend>Role</legend>
    {MEMBER_ROLES.map((role) => (
      <label key={role}>
        <input type="radio" name="role" checked={role === chosen} onChange={() => choose(role)} />
        <span class="stack tight">
          <span class="strong">{roleTitle(role)}</span>
          <span class="small soft">{ABOUT_ROLES[role]}</span>
        </span>
      </label>
    ))}
  </fieldset>
)
