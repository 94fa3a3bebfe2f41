import type { Role } from '@svc/contract/common/roles'
import type { MemberRole } from '@svc/contract/developers/members'

/** What each role may do, in one sentence. */
export const ABOUT_ROLES: Record<Role, string> = {
  owner: 'Full access, including deleting and transferring the project. Pays for its usage.',
  admin: 'Full access, including members, keys and production. Cannot delete or transfer the project.',
  developer:
    'Full access to development. In production: reads, deploys and pushes config, but cannot change players, keys or secrets.',
  moderator:
    'Players, bans, appeals, leaderboard entries and the live view. Cannot change code, config or keys.',
  viewer: 'Reads figures, config and versions. Cannot see player data.',
}

/** The role with a capital letter. */
export const roleTitle = (role: Role): string => role.charAt(0).toUpperCase() + role.slice(1)

/** The roles that a member can have, the most powerful first. */
export const MEMBER_ROLES: readonly MemberRole[] = ['admin', 'developer', 'moderator', 'viewer']
