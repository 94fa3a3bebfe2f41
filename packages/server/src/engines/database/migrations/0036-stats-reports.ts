/** Ids of the last reports of a stat: a report that is sent again counts once. */
export const statements = [`alter table stats add column reports text`] as const
