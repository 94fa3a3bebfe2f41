/** One-time codes with which a command line signs in. */
export const statements = [
  `create table developers_device_codes (
    "secretHash" text primary key,
    "codeHash" text not null unique,
    address text not null,
    "createdAt" text not null,
    "expiresAt" text not null,
    decision text,
    "developerId" text,
    "sessionHash" text
  )`,
  `create index developers_device_codes_expiry on developers_device_codes ("expiresAt")`,
] as const
