/** Members of projects. The owner is `developerId` of `projects` and has no row here. */
export type MembersTables = {
  /** Developers who work on a project of somebody else. */
  members: {
    projectId: string
    developerId: string
    role: string
    since: string
    /** The row of a former member stays: mails to the owner are not shown to the keys of a project that was shared (TEA-22). */
    removedAt: string | null
  }
  /** Open invitations, one per project and address. */
  members_invitations: {
    id: string
    tokenHash: string
    projectId: string
    email: string
    role: string
    /** The address of the member who invited. */
    invitedBy: string
    createdAt: string
    expiresAt: string
  }
  /** Offers of ownership that wait for an answer, one per project. */
  members_transfers: { projectId: string; developerId: string; createdAt: string; expiresAt: string }
}
