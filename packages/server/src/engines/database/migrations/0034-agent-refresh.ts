/** When a grant was renewed and with which salt, so that the same refresh token gets the same answer for some seconds. */
export const statements = [
  `alter table agents_grants add column "renewedAt" text`,
  `alter table agents_grants add column "renewSalt" text`,
] as const
