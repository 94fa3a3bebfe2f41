/**
 * When a player was last seen, as a moment. Of earlier activity only the day is known: its beginning, or the moment the player was
 * created when that is later.
 */
export const statements = [
  `alter table players add column "lastSeenAt" text not null default ''`,
  `update players set "lastSeenAt" = case
     when "lastSeenOn" || 'T00:00:00.000Z' > "createdAt" then "lastSeenOn" || 'T00:00:00.000Z'
     else "createdAt" end`,
  `alter table players drop column "lastSeenOn"`,
] as const
