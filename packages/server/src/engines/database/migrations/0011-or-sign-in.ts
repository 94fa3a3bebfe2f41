/** Linking a provider that may become a sign-in, if the identity already belongs to another player. */
export const statements = [
  `alter table oauth_sign_ins add column "orSignIn" integer not null default 0`,
  `alter table oauth_exchange_codes add column "orSignIn" integer not null default 0`,
] as const
