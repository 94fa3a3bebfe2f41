import { statements as foundation } from './0001-foundation.ts'
import { statements as players } from './0002-players.ts'
import { statements as gameData } from './0003-game-data.ts'
import { statements as channels } from './0004-channels.ts'
import { statements as hosting } from './0005-hosting.ts'
import { statements as unsubscribe } from './0006-unsubscribe.ts'
import { statements as revocations } from './0007-revocations.ts'
import { statements as signInAddresses } from './0008-sign-in-addresses.ts'
import { statements as signUp } from './0009-sign-up.ts'
import { statements as activity } from './0010-activity.ts'
import { statements as orSignIn } from './0011-or-sign-in.ts'
import { statements as jobs } from './0012-jobs.ts'
import { statements as sharing } from './0013-sharing.ts'
import { statements as money } from './0014-money.ts'
import { statements as functions } from './0015-functions.ts'
import { statements as voice } from './0016-voice.ts'
import { statements as leaderboards } from './0017-leaderboards.ts'
import { statements as dashboard } from './0018-dashboard.ts'
import { statements as usageSeries } from './0019-usage-series.ts'
import { statements as disputes } from './0020-disputes.ts'
import { statements as leaderboardOrder } from './0021-leaderboard-order.ts'
import { statements as functionsStorageHours } from './0024-functions-storage-hours.ts'
import { statements as installation } from './0025-installation.ts'
import { statements as deviceCodes } from './0026-device-codes.ts'
import { statements as listsAndKeys } from './0027-lists-and-keys.ts'

/** In order; a migration that has been released is never edited. Common subset of SQLite and PostgreSQL. */
export const migrations: readonly { name: string; statements: readonly string[] }[] = [
  { name: '0001-the-house', statements: foundation },
  { name: '0002-players', statements: players },
  { name: '0003-game-data', statements: gameData },
  { name: '0004-channels', statements: channels },
  { name: '0005-hosting', statements: hosting },
  { name: '0006-unsubscribe', statements: unsubscribe },
  { name: '0007-revocations', statements: revocations },
  { name: '0008-sign-in-addresses', statements: signInAddresses },
  { name: '0009-sign-up', statements: signUp },
  { name: '0010-activity', statements: activity },
  { name: '0011-or-sign-in', statements: orSignIn },
  { name: '0012-jobs', statements: jobs },
  { name: '0013-sharing', statements: sharing },
  { name: '0014-money', statements: money },
  { name: '0015-functions', statements: functions },
  { name: '0016-voice', statements: voice },
  { name: '0017-leaderboards', statements: leaderboards },
  { name: '0018-dashboard', statements: dashboard },
  { name: '0019-usage-series', statements: usageSeries },
  { name: '0020-disputes', statements: disputes },
  { name: '0021-leaderboard-order', statements: leaderboardOrder },
  { name: '0024-functions-storage-hours', statements: functionsStorageHours },
  { name: '0025-installation', statements: installation },
  { name: '0026-device-codes', statements: deviceCodes },
  { name: '0027-lists-and-keys', statements: listsAndKeys },
]
