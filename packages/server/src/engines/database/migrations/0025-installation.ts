/** Identifies this installation, for example where it shares a Redis with others. */
export const statements = [
  `create table installation (
    name text primary key,
    value text not null
  )`,
] as const
