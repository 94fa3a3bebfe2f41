/** Mail that its reader's mail program can unsubscribe from. */
export const statements = [`alter table mail_outbox add column "unsubscribeUrl" text`] as const
