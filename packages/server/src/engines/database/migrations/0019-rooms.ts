/** When the first room of an environment was created; rooms themselves are in memory only. */
export const statements = [
  `create table rooms_firsts (
    "environmentId" text primary key,
    at text not null
  )`,
] as const
