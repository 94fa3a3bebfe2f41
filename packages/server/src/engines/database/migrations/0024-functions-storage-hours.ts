/** The hours whose storage of functions was charged, so that a repeated job charges none twice. */
export const statements = [
  `create table functions_storage_hours (
    "environmentId" text not null,
    hour bigint not null,
    primary key ("environmentId", hour)
  )`,
] as const
