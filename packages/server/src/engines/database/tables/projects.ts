/** Projects, their environments and API keys. */
export type ProjectsTables = {
  /** Projects of developers. */
  projects: {
    id: string
    developerId: string
    name: string
    slug: string
    createdAt: string
    /** The row of a deleted project stays, so that its slug is never reused. */
    deletedAt: string | null
  }
  /** The two environments of every project. */
  projects_environments: { id: string; projectId: string; name: string }
  /** API keys, by their hash. */
  projects_keys: {
    id: string
    projectId: string
    environmentId: string
    type: string
    label: string | null
    hash: string
    last4: string
    /** The text of a publishable key, which is public; null for secret keys. */
    plaintext: string | null
    createdAt: string
    lastUsedAt: string | null
    revokedAt: string | null
    /** The actor as JSON; null if it is not known. */
    createdBy: string | null
  }
  /** Renames of the last hour, for their rate limit. */
  projects_renames: { projectId: string; renamedAt: string }
}
