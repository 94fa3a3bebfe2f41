/** Members of projects, invitations to projects, and offered transfers of ownership. */
export const statements = [
  `create table members (
    "projectId" text not null,
    "developerId" text not null,
    role text not null,
    since text not null,
    "removedAt" text,
    primary key ("projectId", "developerId")
  )`,
  `create index members_of on members ("developerId", "projectId")`,

  `create table members_invitations (
    id text primary key,
    "tokenHash" text not null unique,
    "projectId" text not null,
    email text not null,
    role text not null,
    "invitedBy" text not null,
    "createdAt" text not null,
    "expiresAt" text not null
  )`,
  `create unique index members_invitations_of on members_invitations ("projectId", email)`,
  `create index members_invitations_expiry on members_invitations ("expiresAt")`,

  `create table members_transfers (
    "projectId" text primary key,
    "developerId" text not null,
    "createdAt" text not null,
    "expiresAt" text not null
  )`,
  `create index members_transfers_expiry on members_transfers ("expiresAt")`,
] as const
