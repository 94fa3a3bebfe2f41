/** Encrypted secrets that the service must be able to read. */
export const statements = [
  `create table secrets (
    id text primary key,
    sealed text not null,
    "updatedAt" text not null
  )`,
] as const
