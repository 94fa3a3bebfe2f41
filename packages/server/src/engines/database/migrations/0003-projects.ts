/** Projects, their environments and API keys. */
export const statements = [
  `create table projects (
    id text primary key,
    "developerId" text not null,
    name text not null,
    slug text not null unique,
    "createdAt" text not null,
    "deletedAt" text
  )`,
  `create index projects_of on projects ("developerId", id)`,

  `create table projects_environments (
    id text primary key,
    "projectId" text not null,
    name text not null
  )`,
  `create unique index projects_environments_of on projects_environments ("projectId", name)`,

  `create table projects_keys (
    id text primary key,
    "projectId" text not null,
    "environmentId" text not null,
    type text not null,
    label text,
    hash text not null unique,
    last4 text not null,
    "createdAt" text not null,
    "lastUsedAt" text,
    "revokedAt" text,
    "createdBy" text,
    plaintext text
  )`,
  `create index projects_keys_of on projects_keys ("environmentId", id)`,

  `create table projects_renames (
    "projectId" text not null,
    "renamedAt" text not null
  )`,
  `create index projects_renames_of on projects_renames ("projectId", "renamedAt")`,
] as const
