/** Stored responses of idempotent requests. */
export const statements = [
  `create table idempotency_answers (
    scope text not null,
    key text not null,
    "requestHash" text not null,
    status bigint,
    answer text,
    "expiresAt" text not null,
    primary key (scope, key)
  )`,
  `create index idempotency_answers_expiry on idempotency_answers ("expiresAt")`,
] as const
