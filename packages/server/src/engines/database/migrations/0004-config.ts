/** Every pushed config document. */
export const statements = [
  `create table config_versions (
    "environmentId" text not null,
    version bigint not null,
    document text not null,
    "updatedAt" text not null,
    actor text not null,
    primary key ("environmentId", version)
  )`,
] as const
