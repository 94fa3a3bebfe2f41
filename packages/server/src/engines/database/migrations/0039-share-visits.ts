/** What a visitor of a share link counts for, so that the visits of a day are counted from its visitors. */
export const statements = [
  `alter table sharing_visitors add column "newPlayers" integer`,
  `alter table sharing_visitors add column "newBy" text`,
] as const
