/** Indexes by which old rows are found. Without them each step of a removal would read the whole table. */
export const statements = [
  `create index developers_sessions_expiry on developers_sessions ("expiresAt")`,
  `create index developers_tokens_expiry on developers_tokens ("expiresAt")`,
  `create index developers_sign_ins_expiry on developers_sign_ins ("expiresAt")`,
  `create index developers_exchange_codes_expiry on developers_exchange_codes ("expiresAt")`,
  `create index developers_invitations_expiry on developers_invitations ("expiresAt")`,
  `create index money_checkouts_unpaid on money_checkouts ("createdAt") where status in ('expired', 'cancelled')`,
  `create index mail_outbox_sent on mail_outbox ("sentAt") where "sentAt" is not null`,
  `create index mail_outbox_kept on mail_outbox ("createdAt") where status not in ('pending', 'sent')`,
]
