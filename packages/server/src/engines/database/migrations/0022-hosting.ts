/** App hosting: deployments, live versions, activations, uploaded files. */
export const statements = [
  `create table hosting_deployments (
    "environmentId" text not null,
    id text not null,
    "projectId" text not null,
    version bigint not null,
    status text not null,
    message text,
    "fileCount" bigint not null,
    "totalBytes" bigint not null,
    "createdAt" text not null,
    "activatedAt" text,
    files text not null,
    primary key ("environmentId", id)
  )`,
  `create unique index hosting_deployments_version on hosting_deployments ("environmentId", version)`,
  `create index hosting_deployments_of on hosting_deployments ("projectId")`,

  `create table hosting_live (
    "environmentId" text primary key,
    "lastVersion" bigint not null,
    "deploymentId" text,
    version bigint,
    activations bigint not null,
    kept text not null
  )`,

  `create table hosting_projects (
    "projectId" text primary key,
    "sweepAt" text,
    "suspendedAt" text
  )`,
  `create index hosting_projects_due on hosting_projects ("sweepAt")`,

  `create table hosting_blobs (
    key text primary key,
    "projectId" text not null,
    sha256 text not null,
    size bigint not null,
    state text not null,
    "changedAt" text not null,
    "brSize" bigint,
    "gzSize" bigint
  )`,
  `create index hosting_blobs_of on hosting_blobs ("projectId", sha256)`,
  `create index hosting_blobs_state on hosting_blobs (state, "changedAt")`,

  // Not a column of hosting_deployments: SQLite would read through the file list to reach it.
  `create table hosting_authors (
    "environmentId" text not null,
    "deploymentId" text not null,
    "createdBy" text not null,
    primary key ("environmentId", "deploymentId")
  )`,

  `create table hosting_activations (
    "environmentId" text not null,
    number bigint not null,
    version bigint not null,
    at text not null,
    "activatedBy" text not null,
    primary key ("environmentId", number)
  )`,
] as const
