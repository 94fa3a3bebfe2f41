/** Where accounts were signed in to from, as hashes; and how many mails went to whom, as hashes too. */
export const statements = [
  `create table players_sign_in_addresses (
    "environmentId" text not null,
    "playerId" text not null,
    "addressHash" text not null,
    day text not null,
    primary key ("environmentId", "playerId", "addressHash")
  )`,
  `create index players_sign_in_addresses_day on players_sign_in_addresses (day)`,

  `create table developers_sign_in_addresses (
    "developerId" text not null,
    "addressHash" text not null,
    day text not null,
    primary key ("developerId", "addressHash")
  )`,
  `create index developers_sign_in_addresses_day on developers_sign_in_addresses (day)`,

  `create table mail_sends (
    id text primary key,
    "mailboxHash" text not null,
    "recipientHash" text not null,
    sender text not null,
    kind text not null,
    "sentAt" text not null
  )`,
  `create index mail_sends_to on mail_sends ("mailboxHash", "sentAt")`,
  `create index mail_sends_of on mail_sends (sender, "sentAt")`,
  `create index mail_sends_at on mail_sends ("sentAt")`,
] as const
