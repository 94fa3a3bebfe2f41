/** When a sum of a day was kept: those that a clock that was ahead has kept are forgotten. */
export const statements = [
  `alter table players_sums add column "keptAt" text`,
  `alter table sharing_sums add column "keptAt" text`,
  `create index players_sums_by_kept on players_sums ("keptAt") where "keptAt" is not null`,
  `create index sharing_sums_by_kept on sharing_sums ("keptAt") where "keptAt" is not null`,
] as const
