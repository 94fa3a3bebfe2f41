/** The outbox, and mails of the last day for their limits. */
export const statements = [
  `create table mail_outbox (
    id text primary key,
    "environmentId" text,
    recipient text not null,
    subject text not null,
    "textBody" text not null,
    "htmlBody" text not null,
    status text not null,
    attempts bigint not null,
    "nextAttemptAt" text not null,
    "lastError" text,
    "createdAt" text not null,
    "sentAt" text,
    "unsubscribeUrl" text
  )`,
  `create index mail_outbox_due on mail_outbox (status, "nextAttemptAt")`,
  `create index mail_outbox_of on mail_outbox ("environmentId", id)`,
  `create index mail_outbox_recipient on mail_outbox ("environmentId", recipient)`,
  `create index mail_outbox_failed on mail_outbox ("environmentId", id) where status = 'failed'`,

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
