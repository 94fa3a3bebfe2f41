import type { Role } from '@svc/contract/common/roles'
import type { MemberRole } from '@svc/contract/developers/members'

/** What each role may do, in one sentence. */
export const ABOUT_ROLES: Record<Role, string> = {
  owner:
    'Everything. Also deletes the project and gives it to somebody else. Its usage is charged to this account.',
  admin: 'Everything but deleting the project or giving it away: also members, keys and all of production.',
  developer:
    'Builds the app: all of development. In production reads, deploys and pushes the config, and changes no players, keys or secrets.',
  moderator:
    'Players, bans, appeals, leaderboard entries and the live view. Changes no code, config or keys.',
  viewer: 'Reads figures, config and versions. Sees no data of players.',
}

/** The role with a capital letter. */
export const roleTitle = (role: Role): string => role.charAt(0).toUpperCase() + role.slice(1)

/** The roles that a member can have, the most powerful first. */
export const MEMBER_ROLES: readonly MemberRole[] = ['admin', 'developer', 'moderator', 'viewer']
