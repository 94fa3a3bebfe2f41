/** Disputes of payments; the part of a debt that invite credit does not pay; usage by month. */
export const statements = [
  `create table money_disputes (
    id text primary key,
    "checkoutId" text not null,
    withdrawn bigint not null check (withdrawn >= 0),
    reinstated bigint not null check (reinstated >= 0)
  )`,
  `create index money_disputes_checkout on money_disputes ("checkoutId")`,
  `alter table money_accounts add column "owedOther" bigint not null default 0 check ("owedOther" <= 0)`,
  `drop index money_accounts_overdue`,
  `create index money_accounts_overdue on money_accounts ("developerId") where owed < 0 or "owedOther" < 0`,
  `create index money_usage_period on money_usage (period, "developerId")`,
] as const
