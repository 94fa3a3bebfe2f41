/** External sign-in of players: credentials of environments, and sign-ins in progress. */
export const statements = [
  `create table oauth_credentials (
    "environmentId" text not null,
    provider text not null,
    settings text not null,
    "updatedAt" text not null,
    primary key ("environmentId", provider)
  )`,

  `create table oauth_sign_ins (
    "stateHash" text not null,
    "environmentId" text not null,
    provider text not null,
    "redirectUrl" text not null,
    challenge text not null,
    mode text not null,
    "playerId" text,
    "linkSessionId" text,
    verifier text not null,
    nonce text not null,
    "expiresAt" text not null,
    "orSignIn" integer not null default 0,
    primary key ("stateHash")
  )`,
  `create index oauth_sign_ins_expiry on oauth_sign_ins ("expiresAt")`,
  `create index oauth_sign_ins_of on oauth_sign_ins ("environmentId", "playerId")`,

  `create table oauth_exchange_codes (
    "codeHash" text not null,
    "environmentId" text not null,
    provider text not null,
    subject text not null,
    profile text not null,
    refusal text,
    challenge text not null,
    "playerId" text,
    "linkSessionId" text,
    "expiresAt" text not null,
    "sessionId" text,
    "orSignIn" integer not null default 0,
    primary key ("codeHash")
  )`,
  `create index oauth_exchange_codes_expiry on oauth_exchange_codes ("expiresAt")`,
  `create index oauth_exchange_codes_of on oauth_exchange_codes ("environmentId", "playerId")`,
] as const
