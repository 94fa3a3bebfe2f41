import { ERRORS } from '@svc/contract/common/errors'
import { LIMITS, RATE_LIMITS, type RateLimitName } from '@svc/contract/common/limits'
import { fillDefaults } from '@svc/contract/config/defaults'

import { settingsTable } from '../packages/server/src/settings-table.ts'

/**
 * The page of limits in the guide. Every number comes from the contract or from the defaults of the settings, which the service
 * itself uses; a row has no number of its own.
 */

const number = new Intl.NumberFormat('en-US')
const count = (value: number) => number.format(value)

const SIZES: [bytes: number, unit: string][] = [
  [1024 * 1024, 'MiB'],
  [1_000_000, 'MB'],
  [1024, 'KiB'],
]

/** `1 MiB`, `16 KiB`, `10 MB`: the largest unit that needs no fraction. */
function bytes(value: number): string {
  const [size, unit] = SIZES.find(([one]) => value % one === 0) ?? [1, 'bytes']
  return `${count(value / size)} ${unit}`
}

const TIMES: [ms: number, unit: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** `30 seconds`, `15 minutes`, `1 day`: the largest unit that needs no fraction. */
function duration(ms: number): string {
  const [time, unit] = TIMES.find(([one]) => ms % one === 0) ?? [1, 'millisecond']
  return ms === time ? `1 ${unit}` : `${count(ms / time)} ${unit}s`
}

/** The default of a setting, which must be the number of the contract where there is one. */
function settingDefault(name: string, expected?: number): number {
  const value = Number(settingsTable().find((setting) => setting.name === name)?.default)
  if (Number.isNaN(value)) throw new Error(`the setting ${name} has no number as its default`)
  if (expected !== undefined && expected !== value)
    throw new Error(`${name} is ${value} by default, and ${expected} in the contract`)
  return value
}

/** A general rate limit, which a setting changes. */
function rate(name: RateLimitName, setting: string): string {
  const { max, windowMs } = RATE_LIMITS[name]
  return `${count(settingDefault(setting, max))} per ${duration(windowMs).replace(/^1 /, '')}`
}

const { maxSubmitsPerMinute } = fillDefaults({}).integrity.stats

/** What | limit | per what | the error code at the limit, or the effect | the setting or the field that changes it. */
const PARTS: readonly { title: string; rows: string }[] = [
  {
    title: 'Requests',
    rows: `
| requests with a publishable key | ${rate('publicPerAddress', 'SVC_LIMIT_PUBLIC_PER_MINUTE')} | client address, in production | rate_limited | SVC_LIMIT_PUBLIC_PER_MINUTE |
| requests with a secret key | ${rate('secretKey', 'SVC_LIMIT_SECRET_PER_MINUTE')} | key, in production | rate_limited | SVC_LIMIT_SECRET_PER_MINUTE |
| requests of a developer | ${rate('developerSession', 'SVC_LIMIT_DEVELOPER_PER_MINUTE')} | session | rate_limited | SVC_LIMIT_DEVELOPER_PER_MINUTE |
| request body | ${bytes(LIMITS.bodyBytesMax)} | request | payload_too_large | |
| nesting of JSON | ${LIMITS.jsonDepthMax} levels; ${LIMITS.carriedJsonDepthMax} in saves and messages | request | invalid_request | |
| an \`Idempotency-Key\` is remembered | ${duration(LIMITS.idempotencyResponseTtlMs)} | key | the request runs again | |`,
  },
  {
    title: 'Sign-in and players',
    rows: `
| new guests | ${rate('guestsPerAddress', 'SVC_LIMIT_GUESTS_PER_MINUTE')} | client address, in production | rate_limited | SVC_LIMIT_GUESTS_PER_MINUTE |
| sign-in, sign-up, password reset | ${rate('signInPerAddress', 'SVC_LIMIT_SIGN_IN_PER_MINUTE')} | client address, in production | rate_limited | SVC_LIMIT_SIGN_IN_PER_MINUTE |
| failed sign-ins | ${rate('signInFailuresPerAddress', 'SVC_LIMIT_SIGN_IN_FAILURES')} | account and client address | rate_limited | SVC_LIMIT_SIGN_IN_FAILURES |
| failed sign-ins | ${rate('signInFailuresPerAccount', 'SVC_LIMIT_SIGN_IN_FAILURES_PER_ACCOUNT')} | account | rate_limited | SVC_LIMIT_SIGN_IN_FAILURES_PER_ACCOUNT |
| display name | ${LIMITS.displayNameLengthMax} characters | player | invalid_request | |
| password | ${LIMITS.passwordLengthMin} to ${LIMITS.passwordLengthMax} characters | account | invalid_request | |
| access token | ${duration(LIMITS.accessTokenTtlMs)} | token | token_expired | |
| session without a visit | ${duration(LIMITS.refreshTokenTtlMs)} | session | invalid_refresh_token | |
| link that confirms an email address | ${duration(LIMITS.verificationLinkTtlMs)} | link | invalid_or_expired_token | |
| link that resets a password | ${duration(LIMITS.resetLinkTtlMs)} | link | invalid_or_expired_token | |
| link out of an in-app browser | ${duration(LIMITS.transferCodeTtlMs)} | link | invalid_code | |`,
  },
  {
    title: 'Email',
    rows: `
| emails of one kind | ${LIMITS.mailsPerTenMinutesMax} per 10 minutes, ${LIMITS.mailsPerDayMax} per day | address and environment | rate_limited | |
| emails of all kinds | ${LIMITS.mailboxMailsPerTenMinutesMax} per 10 minutes, ${LIMITS.mailboxMailsPerDayMax} per day | mailbox, from all projects | rate_limited | |
| recipients of a development environment | ${LIMITS.developmentRecipientsPerDayMax} per day | environment | rate_limited | |`,
  },
  {
    title: 'Saves',
    rows: `
| maximum size of a save | ${bytes(settingDefault('SVC_SAVE_MAX_BYTES', LIMITS.saveBytesMax))} | save | save_too_large | SVC_SAVE_MAX_BYTES |
| saves | ${count(settingDefault('SVC_SAVE_MAX_COUNT', LIMITS.savesPerPlayerMax))} | player | too_many_saves | SVC_SAVE_MAX_COUNT |`,
  },
  {
    title: 'Stats and leaderboards',
    rows: `
| stats in one report | ${count(LIMITS.statsPerSubmitMax)} | \`submit\` | too_many_stats | |
| reports | ${count(maxSubmitsPerMinute)} per minute | player | rate_limited | integrity.stats.maxSubmitsPerMinute |
| stats, rules for stats | ${LIMITS.configStatsMax}, ${LIMITS.configStatRulesMax} | environment | invalid_config | |
| leaderboards | ${count(LIMITS.configLeaderboardsMax)} | environment | invalid_config | |
| exact ranks | the top ${count(LIMITS.leaderboardExactRankMax)} | leaderboard and period | \`exact\` is false | |
| winners kept of an ended period | ${count(LIMITS.leaderboardWinnersMax)} | leaderboard and period | the others are deleted | |
| ended periods kept | ${LIMITS.leaderboardDaysKept} days, ${LIMITS.leaderboardWeeksKept} weeks, ${LIMITS.leaderboardMonthsKept} months | leaderboard | older ones are deleted | |
| neighbors above and below | ${count(LIMITS.leaderboardAroundMax)} | request | invalid_request | |`,
  },
  {
    title: 'Rooms and matchmaking',
    rows: `
| players | ${count(LIMITS.roomPlayersMax)} | room | room_full | multiplayer.modes[].maxPlayers |
| modes | ${count(LIMITS.configModesMax)} | environment | invalid_config | |
| shared state | ${bytes(LIMITS.roomStateBytesMax)} | room | state_too_large | |
| own state | ${bytes(LIMITS.playerStateBytesMax)} | player in a room | state_too_large | |
| metadata | ${bytes(LIMITS.roomMetadataBytesMax)} | room | payload_too_large | |
| message | ${bytes(LIMITS.messageDataBytesMax)} | message | payload_too_large | |
| frames sent | ${LIMITS.framesPerSecondMax} per second, ${LIMITS.framesBurstMax} in a burst, ${LIMITS.roomFramesBurstMax} small ones in a room | connection | rate_limited | |
| frames sent without a player | ${LIMITS.anonymousFramesPerSecondMax} per second | connection | rate_limited | |
| wrong room codes | ${LIMITS.wrongJoinsPerMinuteMax} per minute | player | rate_limited | |
| wrong room codes | ${LIMITS.wrongJoinsPerAddressAndHourMax} per hour | client address | rate_limited | |
| time to reconnect | ${duration(LIMITS.disconnectGraceMs)} | player | the seat is given up | |
| time for the host to reconnect | ${duration(LIMITS.hostGraceMs)} | room | another player becomes the host | |
| connection without a frame or ping | ${duration(LIMITS.idleTimeoutMs)}, in a room ${duration(LIMITS.seatSilenceMs)} | connection | idle | |
| data that waits to be read | ${bytes(LIMITS.sendBufferBytesMax)} | connection | slow_consumer | |`,
  },
  {
    title: 'Rooms with code',
    rows: `
| ticks | ${LIMITS.roomTicksPerSecondMax} per second | class | invalid_deployment | |
| shared state | ${bytes(LIMITS.roomStateBytesMax)} | room | room_error | |
| own state | ${bytes(LIMITS.playerStateBytesMax)} | player in a room | room_error | |
| result of \`save\` | ${bytes(LIMITS.roomSavedBytesMax)} | room | room_error | |
| options for \`onCreate\` | ${bytes(LIMITS.roomOptionsBytesMax)} | room | payload_too_large | |
| messages sent by the code | ${count(LIMITS.roomTurnMessagesMax)} and ${bytes(LIMITS.roomTurnBytesMax)} | turn | room_error | |
| messages that wait for the code | ${count(LIMITS.roomWaitingInputsMax)} or ${bytes(LIMITS.roomWaitingBytesMax)} | room | room_busy | |
| time for \`onJoin\` | ${duration(LIMITS.roomJoinTimeoutMs)} | join | join_refused | |
| time for another promise | ${duration(LIMITS.roomPromiseTimeoutMs)} | handler | room_error | |
| errors | ${LIMITS.roomErrorsMax} in ${duration(LIMITS.roomErrorsWindowMs)} | room | the room is closed: \`failed\` | |
| rooms | ${count(LIMITS.roomsPerProcessMax)} | process | room_busy | |
| processes of one version | ${count(settingDefault('ROOM_PROCESSES_MAX'))} | node | room_busy | ROOM_PROCESSES_MAX |
| minutes that a room keeps its version | ${LIMITS.roomFinishMinutesMax} (${LIMITS.roomFinishMinutesByDefault} by default) | deploy | the room continues in the new version | multiplayer.modes[].room.finishMinutes |
| days that a room is kept | ${LIMITS.roomKeepDaysMax} | room | the room is deleted | multiplayer.modes[].room.keepDays |
| kept rooms | ${count(LIMITS.roomsKeptMax)} | environment | new rooms are not kept | |
| kept rooms | ${count(LIMITS.roomsKeptPerPlayerMax)} | player | too_many_rooms | |`,
  },
  {
    title: 'Channels and voice',
    rows: `
| members | ${count(LIMITS.channelMembersMax)} (${LIMITS.channelMembersByDefault} by default) | channel | channel_full | maxMembers |
| channels | ${count(LIMITS.channelsPerConnectionMax)} | connection | too_many_channels | |
| messages | ${LIMITS.channelSendsPerSecondMax} per second, ${LIMITS.channelSendsBurstMax} in a burst | member and channel | rate_limited | |
| messages from your server | ${count(LIMITS.channelMessagesPerMinuteMax)} per minute | secret key | rate_limited | |
| channel changes by your server | ${count(LIMITS.channelChangesPerMinuteMax)} per minute | secret key | rate_limited | |
| people in a peer-to-peer call | ${count(LIMITS.voiceMeshMembersMax)} | call | voice_too_large | |
| people in a relayed call | ${count(LIMITS.voiceMembersMax)} | call | voice_too_large | |
| length of a call | ${count(settingDefault('SVC_VOICE_MAX_MINUTES', LIMITS.voiceMinutesMax))} minutes | call | the call ends | SVC_VOICE_MAX_MINUTES |
| attempts to join a call | ${LIMITS.voiceConnectsPerMinuteMax} per minute | member | rate_limited | |`,
  },
  {
    title: 'Hosting and deploys',
    rows: `
| file | ${bytes(LIMITS.blobBytesMax)} | file | blob_too_large | |
| files | ${count(LIMITS.deployedFilesMax)} | deploy | invalid_request | |
| path of a file | ${LIMITS.deployedPathLengthMax} characters | file | invalid_path | |
| deploys in the history | ${count(LIMITS.deploymentsKept)} | environment | the oldest is deleted, never the live one | |`,
  },
  {
    title: 'Server functions',
    rows: `
| CPU time | ${count(LIMITS.functionsCpuMsByDefault)} ms, at most ${count(LIMITS.functionsCpuMsMax)} ms | request | cpu_limit_exceeded | cpuMs |
| sub-requests | ${LIMITS.functionsSubRequestsByDefault}, at most ${count(LIMITS.functionsSubRequestsMax)} | request | \`fetch\` throws | subRequests |
| memory | ${LIMITS.functionsMemoryMb} MB | environment | memory_limit_exceeded | |
| time to the first byte | ${duration(LIMITS.functionsAnswerTimeoutMs)} | request | function_timeout | |
| request body | ${bytes(LIMITS.functionsRequestBytesMax)} | request | payload_too_large | |
| code and static files together | ${bytes(LIMITS.functionsModuleBytesMax)} | deploy | invalid_deployment | |
| modules, static files | ${LIMITS.functionsModulesMax}, ${count(LIMITS.functionsAssetsMax)} | deploy | invalid_request | |
| bindings, variables, crons | ${LIMITS.functionsBindingsMax}, ${LIMITS.functionsVarsMax}, ${LIMITS.functionsCronsMax} | environment | invalid_request | |
| secrets | ${count(LIMITS.functionsSecretsMax)} | environment | too_many_secrets | |
| value of a secret or variable | ${bytes(LIMITS.functionsTextBytesMax)} | value | invalid_request | |
| result of a query of the admin API | ${count(LIMITS.functionsResultRowsMax)} rows, ${bytes(LIMITS.functionsResultBytesMax)} | query | result_too_large | |
| stored data | ${count(settingDefault('FUNCTIONS_STORAGE_MAX_MB'))} MB | environment | the data can only be read | FUNCTIONS_STORAGE_MAX_MB |
| environments that run at the same time | ${count(settingDefault('FUNCTIONS_PROCESSES_MAX'))} | node | functions_overloaded | FUNCTIONS_PROCESSES_MAX |
| versions kept | ${count(LIMITS.functionsVersionsKept)} | environment | the oldest is deleted | |`,
  },
  {
    title: 'Sharing',
    rows: `
| new links | ${LIMITS.shareLinksPerMinuteMax} per minute, ${LIMITS.shareLinksPerDayMax} per day | player | rate_limited | |
| links with a label | ${count(LIMITS.trackedLinksMax)} | environment | too_many_links | |
| label of a link | ${LIMITS.shareLabelLengthMax} characters | link | invalid_request | |
| link that nobody opens | ${LIMITS.shareLinkUnvisitedDaysMax} days | link | it is deleted | |
| background image, font | ${bytes(LIMITS.shareBackgroundBytesMax)}, ${bytes(LIMITS.shareFontBytesMax)} | file | the card is drawn without it | |
| statistics in one request | ${LIMITS.shareStatsDaysMax} days | request | range_too_long | |`,
  },
  {
    title: 'Projects, config and team',
    rows: `
| projects | ${count(LIMITS.projectsMax)} | account | too_many_projects | |
| active keys | ${count(LIMITS.keysPerEnvironmentMax)} | environment | too_many_keys | |
| members | ${count(LIMITS.membersMax)} | project | too_many_members | |
| open invitations | ${count(LIMITS.memberInvitationsMax)} | project | too_many_invitations | |
| invitations | ${LIMITS.memberInvitationsPerHourMax} per hour | account | rate_limited | |
| \`auth.redirectUrls\`, \`web.allowedOrigins\` | ${LIMITS.configRedirectUrlsMax}, ${LIMITS.configAllowedOriginsMax} | environment | invalid_config | |
| wrong invite codes | ${LIMITS.wrongInviteCodesPerHourMax} per hour | account and client address | rate_limited | |
| wrong codes of \`svc login\` | ${LIMITS.wrongDeviceCodesPerHourMax} per hour | account | rate_limited | |
| top-up | $${count(LIMITS.checkoutCentsMin / 100)} to $${count(LIMITS.checkoutCentsMax / 100)} | payment | invalid_amount | |`,
  },
  {
    title: 'Agents',
    rows: `
| live agents | ${count(LIMITS.agentsPerEnvironmentMax)} | environment | too_many_agents | |
| life of a token | ${LIMITS.agentHoursByDefault} hours, at most ${LIMITS.agentHoursMax / 24} days | agent | invalid_token | |
| calls | ${LIMITS.agentCallsPerMinuteMax} per minute | agent | rate_limited | |
| calls that change something | ${LIMITS.agentWritesPerHourMax} per hour | agent | rate_limited | |
| destructive calls | ${LIMITS.agentDestructivePerHourMax} per hour | agent | rate_limited | |
| requests for an approval | ${LIMITS.agentApprovalsPerHourMax} per hour | agent | rate_limited | |
| approval | ${duration(LIMITS.approvalTtlMs)} | approval | approval_not_found | |
| deploy through a tool | ${LIMITS.agentDeployFilesMax} files, ${bytes(LIMITS.agentDeployBytesMax)} | deploy | invalid_request | |
| response of a tool | ${bytes(LIMITS.agentAnswerBytesMax)} | call | the rest is cut, with a note | |`,
  },
]

const INTRODUCTION = `Every limit of svc: what it counts, the error at the limit (or what happens instead), and who can change it. The last column names the
[setting](../settings.md) with which an operator changes a limit, or the field with which you do; limits without one are fixed. Errors with
status 429 carry \`Retry-After\` in seconds. Limits per client address count an IPv6 /64 as one address. \`SVC_RATE_LIMITS=off\` turns off all
limits whose setting starts with \`SVC_LIMIT_\`.`

/** `table` writes a table of Markdown. */
export const limitsSections = (table: (head: string[], rows: string[][]) => string): string[] => [
  INTRODUCTION,
  ...PARTS.flatMap(({ title, rows }) => [
    `## ${title}`,
    table(['What', 'Limit', 'Per', 'At the limit', 'Change it with'], rows.trim().split('\n').map(cellsOf)),
  ]),
]

const isSetting = (name: string) => /^[A-Z_]+$/.test(name)

function cellsOf(row: string): string[] {
  const [what = '', limit = '', per = '', then = '', change = '', ...others] = row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
  if (others.length > 0 || then === '') throw new Error(`not five cells: ${row}`)
  if (/^[a-z]+_[a-z_]+$/.test(then) && !(then in ERRORS)) throw new Error(`no error has the code ${then}`)
  if (isSetting(change)) settingDefault(change)
  return [
    what.charAt(0).toUpperCase() + what.slice(1),
    limit,
    per,
    then in ERRORS ? `[\`${then}\`](../errors.md#${then})` : then,
    change && (isSetting(change) ? `operator: \`${change}\`` : `\`${change}\``),
  ]
}
