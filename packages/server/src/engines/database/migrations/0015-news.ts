/** News opt-ins, and every news mail. */
export const statements = [
  `create table news_subscriptions (
    "environmentId" text not null,
    "playerId" text not null,
    email text not null,
    "addressHash" text not null,
    language text not null,
    status text not null,
    "tokenHash" text not null,
    "createdAt" text not null,
    "confirmedAt" text,
    primary key ("environmentId", "playerId")
  )`,
  `create unique index news_subscriptions_token on news_subscriptions ("tokenHash")`,
  `create index news_subscriptions_address on news_subscriptions ("addressHash", status)`,

  `create table news_mails (
    "addressHash" text not null,
    month text not null,
    place bigint not null,
    issue text not null,
    "sentAt" text not null,
    primary key ("addressHash", month, place)
  )`,
  `create unique index news_mails_issue on news_mails (issue, "addressHash")`,
  `create index news_mails_month on news_mails (month)`,
] as const
