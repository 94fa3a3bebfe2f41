/** Server functions: versions, secrets, resources, cron slots, usage, data to remove. */
export const statements = [
  `create table functions (
    "environmentId" text primary key,
    "projectId" text not null,
    "enabledAt" text,
    "suspendedAt" text,
    "suspendedBy" text,
    "cpuMs" bigint not null,
    "subRequests" bigint not null,
    "lastVersion" bigint not null,
    "liveVersionId" text,
    generation bigint not null,
    "dataId" text not null,
    "updatedAt" text not null
  )`,
  `create index functions_of on functions ("projectId")`,

  `create table functions_versions (
    "environmentId" text not null,
    id text not null,
    version bigint not null,
    message text,
    "blobKey" text not null,
    bytes bigint not null,
    actor text not null,
    "createdAt" text not null,
    manifest text not null,
    primary key ("environmentId", id)
  )`,
  `create unique index functions_versions_version on functions_versions ("environmentId", version)`,

  `create table functions_secrets (
    "environmentId" text not null,
    name text not null,
    "updatedAt" text not null,
    primary key ("environmentId", name)
  )`,

  `create table functions_resources (
    "environmentId" text not null,
    type text not null,
    id text not null,
    bytes bigint not null,
    "createdAt" text not null,
    primary key ("environmentId", type, id)
  )`,

  `create table functions_cron_slots (
    "environmentId" text not null,
    cron text not null,
    slot bigint not null,
    "nodeId" text not null,
    "startedAt" text not null,
    "endedAt" text,
    outcome text,
    primary key ("environmentId", cron, slot)
  )`,

  `create table functions_removals (
    "dataId" text not null,
    "blobPrefix" text not null,
    "createdAt" text not null,
    primary key ("dataId", "blobPrefix")
  )`,

  `create table functions_minutes (
    "environmentId" text not null,
    minute bigint not null,
    requests bigint not null,
    errors bigint not null,
    "cpuMs" bigint not null,
    primary key ("environmentId", minute)
  )`,

  `create table functions_storage_hours (
    "environmentId" text not null,
    hour bigint not null,
    primary key ("environmentId", hour)
  )`,
] as const
