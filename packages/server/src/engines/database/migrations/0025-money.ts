/** Prepaid money: ledger, checkouts, disputes, usage, invite codes. Amounts are US cents. */
export const statements = [
  `create table money_accounts (
    "developerId" text primary key,
    prepaid bigint not null check (prepaid >= 0),
    invite bigint not null check (invite >= 0),
    owed bigint not null check (owed <= 0),
    sequence bigint not null,
    hash text not null,
    "lastTopup" bigint not null,
    "updatedAt" text not null,
    "owedOther" bigint not null default 0 check ("owedOther" <= 0)
  )`,
  `create index money_accounts_overdue on money_accounts ("developerId") where owed < 0 or "owedOther" < 0`,

  `create table money_transactions (
    "developerId" text not null,
    sequence bigint not null,
    id text not null unique,
    at text not null,
    type text not null,
    reference text not null unique,
    amount bigint not null,
    "balanceAfter" bigint not null check ("balanceAfter" >= 0),
    description text not null,
    hash text not null,
    primary key ("developerId", sequence)
  )`,

  `create table money_postings (
    "transactionId" text not null,
    account text not null,
    amount bigint not null,
    primary key ("transactionId", account)
  )`,

  `create table money_checkouts (
    id text primary key,
    "developerId" text not null,
    "idempotencyKey" text,
    amount bigint not null check (amount > 0),
    "successUrl" text not null,
    "cancelUrl" text not null,
    status text not null,
    "providerId" text,
    url text,
    "createdAt" text not null,
    "expiresAt" text not null,
    "askedAt" text,
    "paidAt" text,
    "paymentId" text unique,
    refunded bigint not null default 0,
    disputed bigint not null default 0,
    unique ("developerId", "idempotencyKey")
  )`,
  `create index money_checkouts_open on money_checkouts ("createdAt") where status = 'open'`,

  `create table money_events (
    id text primary key,
    type text not null,
    at text not null,
    outcome text not null
  )`,
  `create index money_events_at on money_events (at)`,

  `create table money_usage (
    "developerId" text not null,
    environment text not null,
    component text not null,
    period text not null,
    quantity bigint not null check (quantity >= 0),
    "updatedAt" text not null,
    primary key ("developerId", period, environment, component)
  )`,
  `create index money_usage_period on money_usage (period, "developerId")`,

  `create table money_periods (
    "developerId" text not null,
    period text not null,
    "chargedCents" bigint not null check ("chargedCents" >= 0),
    "closedAt" text,
    prices text not null,
    primary key ("developerId", period)
  )`,

  `create table money_invites (
    "codeHash" text primary key,
    label text,
    "usesMax" bigint not null,
    uses bigint not null check (uses <= "usesMax"),
    "expiresAt" text,
    "revokedAt" text,
    "createdAt" text not null
  )`,

  `create table money_redemptions (
    "developerId" text primary key,
    "codeHash" text not null,
    status text not null,
    at text not null
  )`,

  `create table money_usage_days (
    "developerId" text not null,
    date text not null,
    component text not null,
    quantity bigint not null check (quantity >= 0),
    primary key ("developerId", date, component)
  )`,

  `create table money_disputes (
    id text primary key,
    "checkoutId" text not null,
    withdrawn bigint not null check (withdrawn >= 0),
    reinstated bigint not null check (reinstated >= 0)
  )`,
  `create index money_disputes_checkout on money_disputes ("checkoutId")`,
] as const
