/** Facts of the whole installation, for example its id where it shares a Redis with others. */
export const statements = [
  `create table installation (
    name text primary key,
    value text not null
  )`,
] as const
