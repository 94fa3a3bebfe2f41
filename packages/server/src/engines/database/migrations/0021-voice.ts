/** Projects whose voice calls the operator has suspended. */
export const statements = [
  `create table voice_projects (
    "projectId" text primary key,
    "suspendedAt" text not null
  )`,
] as const
