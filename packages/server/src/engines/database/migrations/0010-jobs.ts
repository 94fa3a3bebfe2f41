/** The slot of each scheduled job that was claimed last, so that one node runs it. */
export const statements = [
  `create table jobs (
    name text primary key,
    "slotAtMs" bigint not null,
    attempts integer not null,
    "isDone" integer not null,
    "notBeforeMs" bigint not null,
    "lastError" text
  )`,
] as const
