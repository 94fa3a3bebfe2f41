import { statements as installation } from './0001-installation.ts'
import { statements as developers } from './0002-developers.ts'
import { statements as projects } from './0003-projects.ts'
import { statements as config } from './0004-config.ts'
import { statements as secrets } from './0005-secrets.ts'
import { statements as audit } from './0006-audit.ts'
import { statements as mail } from './0007-mail.ts'
import { statements as idempotency } from './0008-idempotency.ts'
import { statements as revocations } from './0009-revocations.ts'
import { statements as jobs } from './0010-jobs.ts'
import { statements as players } from './0011-players.ts'
import { statements as sessions } from './0012-sessions.ts'
import { statements as oauth } from './0013-oauth.ts'
import { statements as moderation } from './0014-moderation.ts'
import { statements as news } from './0015-news.ts'
import { statements as saves } from './0016-saves.ts'
import { statements as stats } from './0017-stats.ts'
import { statements as leaderboards } from './0018-leaderboards.ts'
import { statements as rooms } from './0019-rooms.ts'
import { statements as channels } from './0020-channels.ts'
import { statements as voice } from './0021-voice.ts'
import { statements as hosting } from './0022-hosting.ts'
import { statements as functions } from './0023-functions.ts'
import { statements as sharing } from './0024-sharing.ts'
import { statements as money } from './0025-money.ts'
import { statements as playground } from './0026-playground.ts'
import { statements as members } from './0027-members.ts'
import { statements as agents } from './0028-agents.ts'
import { statements as agentGrants } from './0029-agent-grants.ts'
import { statements as keptRooms } from './0030-kept-rooms.ts'
import { statements as growth } from './0031-growth.ts'
import { statements as playersGrowth } from './0032-players-growth.ts'
import { statements as sessionsOfPlayers } from './0033-sessions-of-players.ts'
import { statements as agentRefresh } from './0034-agent-refresh.ts'
import { statements as auditShown } from './0035-audit-shown.ts'
import { statements as statsReports } from './0036-stats-reports.ts'
import { statements as sumsKeptAt } from './0037-sums-kept-at.ts'
import { statements as leaderboardsLeft } from './0038-leaderboards-left.ts'
import { statements as shareVisits } from './0039-share-visits.ts'
import { statements as removalByAge } from './0040-removal-by-age.ts'

/** A change of the schema. */
export type Migration = {
  /** That of its file; databases store it. */
  name: string
  statements: readonly string[]
  /**
   * The oldest version of the service that can run after this migration, if it drops or changes something that older ones use; an
   * older one then refuses to start. Without it, every version can run that could before. `additive.test.ts` checks it.
   */
  oldestVersion?: string
}

/** In the order in which they are applied. A migration that has been released is never edited, see `released.test.ts`. */
export const migrations: readonly Migration[] = [
  { name: '0001-installation', statements: installation },
  { name: '0002-developers', statements: developers },
  { name: '0003-projects', statements: projects },
  { name: '0004-config', statements: config },
  { name: '0005-secrets', statements: secrets },
  { name: '0006-audit', statements: audit },
  { name: '0007-mail', statements: mail },
  { name: '0008-idempotency', statements: idempotency },
  { name: '0009-revocations', statements: revocations },
  { name: '0010-jobs', statements: jobs },
  { name: '0011-players', statements: players },
  { name: '0012-sessions', statements: sessions },
  { name: '0013-oauth', statements: oauth },
  { name: '0014-moderation', statements: moderation },
  { name: '0015-news', statements: news },
  { name: '0016-saves', statements: saves },
  { name: '0017-stats', statements: stats },
  { name: '0018-leaderboards', statements: leaderboards },
  { name: '0019-rooms', statements: rooms },
  { name: '0020-channels', statements: channels },
  { name: '0021-voice', statements: voice },
  { name: '0022-hosting', statements: hosting },
  { name: '0023-functions', statements: functions },
  { name: '0024-sharing', statements: sharing },
  { name: '0025-money', statements: money },
  { name: '0026-playground', statements: playground },
  { name: '0027-members', statements: members },
  { name: '0028-agents', statements: agents },
  { name: '0029-agent-grants', statements: agentGrants },
  { name: '0030-kept-rooms', statements: keptRooms },
  { name: '0031-growth', statements: growth },
  { name: '0032-players-growth', statements: playersGrowth },
  { name: '0033-sessions-of-players', statements: sessionsOfPlayers },
  { name: '0034-agent-refresh', statements: agentRefresh },
  { name: '0035-audit-shown', statements: auditShown },
  { name: '0036-stats-reports', statements: statsReports },
  { name: '0037-sums-kept-at', statements: sumsKeptAt },
  { name: '0038-leaderboards-left', statements: leaderboardsLeft },
  { name: '0039-share-visits', statements: shareVisits },
  { name: '0040-removal-by-age', statements: removalByAge },
]
