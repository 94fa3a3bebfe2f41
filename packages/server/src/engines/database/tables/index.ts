import type { AgentsTables } from './agents.ts'
import type { AuditTables } from './audit.ts'
import type { ChannelsTables } from './channels.ts'
import type { ConfigTables } from './config.ts'
import type { DevelopersTables } from './developers.ts'
import type { FunctionsTables } from './functions.ts'
import type { HostingTables } from './hosting.ts'
import type { IdempotencyTables } from './idempotency.ts'
import type { InstallationTables } from './installation.ts'
import type { JobsTables } from './jobs.ts'
import type { LeaderboardsTables } from './leaderboards.ts'
import type { MailTables } from './mail.ts'
import type { MembersTables } from './members.ts'
import type { ModerationTables } from './moderation.ts'
import type { MoneyTables } from './money.ts'
import type { NewsTables } from './news.ts'
import type { OauthTables } from './oauth.ts'
import type { PlayersTables } from './players.ts'
import type { PlaygroundTables } from './playground.ts'
import type { ProjectsTables } from './projects.ts'
import type { RevocationsTables } from './revocations.ts'
import type { RoomsTables } from './rooms.ts'
import type { SavesTables } from './saves.ts'
import type { SecretsTables } from './secrets.ts'
import type { SessionsTables } from './sessions.ts'
import type { SharingTables } from './sharing.ts'
import type { StatsTables } from './stats.ts'
import type { VoiceTables } from './voice.ts'

/**
 * All tables of the database. A table belongs to the capability whose name it begins with, and is described in the file of that name;
 * a column has the name of its API field.
 * Times are ISO 8601 text in UTC with milliseconds, JSON documents are text, a missing value is null.
 */
export type Tables = InstallationTables &
  DevelopersTables &
  ProjectsTables &
  MembersTables &
  ConfigTables &
  SecretsTables &
  AuditTables &
  MailTables &
  IdempotencyTables &
  RevocationsTables &
  JobsTables &
  PlayersTables &
  SessionsTables &
  OauthTables &
  ModerationTables &
  NewsTables &
  SavesTables &
  StatsTables &
  LeaderboardsTables &
  RoomsTables &
  ChannelsTables &
  VoiceTables &
  HostingTables &
  FunctionsTables &
  SharingTables &
  MoneyTables &
  PlaygroundTables &
  AgentsTables
