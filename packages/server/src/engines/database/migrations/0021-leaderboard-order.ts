/**
 * The indexes of leaderboards end with the player's id: values with equal ties have an order, too, so that ranks are not shared and
 * pages contain everybody.
 */
const PERIODS = ['allTime', 'daily', 'weekly', 'monthly']

export const statements = [
  ...PERIODS.flatMap((period) => [
    `drop index stats_${period.toLowerCase()}`,
    `create index stats_${period.toLowerCase()} on stats ("${period}Board", "${period}Ranked", "${period}Tie", "playerId") where "${period}Board" is not null`,
  ]),
  `alter table stats_boards drop column checkpoint`,
  // A closed board after which its leaderboard was turned off: values of the time since then are on no board. For existing ones it is not
  // known.
  `alter table stats_boards add column "retiredAt" text`,
  `update stats_boards set "retiredAt" = "closedAt" where "closedAt" is not null`,
  // Boards with `verifiedOnly`: values that were reached earlier are not known to be approved.
  `alter table stats_boards add column "verifiedFrom" text`,
  // Stays the last column; checkpoints are created again by the next request.
  `alter table stats_boards add column checkpoint text`,
] as const
