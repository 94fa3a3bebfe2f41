const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Bounds of the specification (its section Limits, and the decisions of docs/spec-rules.md) that apply to all projects. */
export const LIMITS = {
  bodyBytesMax: 2 * 1024 * 1024,
  jsonDepthMax: 64,
  carriedJsonDepthMax: 512,
  idempotencyResponseTtlMs: DAY_MS,

  displayNameLengthMax: 32,
  passwordLengthMin: 8,
  passwordLengthMax: 256,
  emailLengthMax: 254,
  verificationLinkTtlMs: DAY_MS,
  resetLinkTtlMs: 30 * MINUTE_MS,
  /** Emails of one kind to one address, from one environment. */
  mailsPerTenMinutesMax: 3,
  mailsPerDayMax: 10,
  /** Emails of all kinds to one mailbox, from all environments. */
  mailboxMailsPerTenMinutesMax: 10,
  mailboxMailsPerDayMax: 30,
  developmentRecipientsPerDayMax: 100,
  exchangeCodeTtlMs: MINUTE_MS,
  reauthTokenTtlMs: 5 * MINUTE_MS,
  accessTokenTtlMs: 15 * MINUTE_MS,
  refreshTokenTtlMs: 90 * DAY_MS,
  /** Codes that move a player from an in-app browser to the real one. */
  transferCodeTtlMs: 10 * MINUTE_MS,
  developerSessionTtlMs: 30 * DAY_MS,
  deviceCodeTtlMs: 10 * MINUTE_MS,
  wrongDeviceCodesPerHourMax: 10,
  deviceCodePollsPerMinuteMax: 600,

  agentHoursByDefault: 8,
  agentHoursMax: 30 * 24,
  agentsPerEnvironmentMax: 20,
  agentToolsMax: 100,
  agentCallsPerMinuteMax: 120,
  agentWritesPerHourMax: 60,
  agentDestructivePerHourMax: 10,
  /** How often an agent may ask for an approval. */
  agentApprovalsPerHourMax: 20,
  agentCallsKept: 200,
  agentDeployBytesMax: 1024 * 1024,
  agentDeployFilesMax: 50,
  agentAnswerBytesMax: 64 * 1024,
  agentPlayerTextLengthMax: 500,
  agentCodeTtlMs: MINUTE_MS,
  agentAccessTtlMs: 60 * MINUTE_MS,
  agentGrantTtlMs: 30 * DAY_MS,
  /** Requests to `/oauth/token` and `/oauth/revoke` from one address. */
  agentTokenRequestsPerMinuteMax: 120,
  agentClientTimeoutMs: 5_000,
  agentClientBytesMax: 16 * 1024,
  agentClientNameLengthMax: 80,
  agentClientRedirectsMax: 20,
  approvalTtlMs: 10 * MINUTE_MS,
  /** How long the question of an agent's own client may be answered, in development. */
  approvalFormTtlMs: 5 * MINUTE_MS,
  /** How long a repeated call waits for the decision, and how many may wait on a node. */
  approvalWaitMs: 25 * SECOND_MS,
  approvalWaitsMax: 1_000,
  approvalWaitsPerAgentMax: 5,

  saveBytesMax: 1024 * 1024,
  savesPerPlayerMax: 100,

  requestsKeptMax: 10_000,
  requestSeriesMinutesMax: 1_440,
  functionSeriesMinutesMax: 1_440,

  projectsMax: 100,
  projectNameLengthMax: 80,
  keysPerEnvironmentMax: 50,
  projectRenamesPerHourMax: 20,
  membersMax: 50,
  /** Projects of others that a developer is a member of. */
  sharedProjectsMax: 100,
  memberInvitationsMax: 20,
  memberInvitationsPerHourMax: 60,
  memberInvitationTtlMs: 7 * DAY_MS,
  transferTtlMs: 7 * DAY_MS,
  activityDaysMax: 60,
  playgroundPlayersMax: 4,
  simulatedLatencyMsMax: 2_000,
  simulatedLossPercentMax: 50,
  simulatedNetworkTtlMs: HOUR_MS,
  /** What waits in a simulated network, in both directions together. */
  simulatedWaitingBytesMax: 1024 * 1024,
  systemSeriesMinutesMax: 1_440,
  backupsKeptMax: 10,
  cardPreviewsPerMinuteMax: 60,
  eventBeatMs: 15_000,
  eventStreamsPerSessionMax: 4,
  eventStreamsPerNodeMax: 500,

  configRedirectUrlsMax: 32,
  configAllowedOriginsMax: 32,
  configStatsMax: 128,
  configStatRulesMax: 128,
  configLeaderboardsMax: 32,
  configModesMax: 16,
  configTextLengthMax: 120,
  configLongTextLengthMax: 500,
  configCacheTtlMs: SECOND_MS,

  blobBytesMax: 50 * 1024 * 1024,
  deployedFilesMax: 10_000,
  deployedPathLengthMax: 512,
  deploymentMessageLengthMax: 500,
  deploymentBodyBytesMax: 8 * 1024 * 1024,
  orphanBlobTtlMs: DAY_MS,
  deploymentsKept: 100,

  shareLabelLengthMax: 60,
  shareLinksPerMinuteMax: 30,
  shareLinksPerDayMax: 500,
  trackedLinksMax: 1_000,
  shareLinkUnvisitedDaysMax: 400,
  shareStatsDaysMax: 366,
  shareVisitsPerAddressMax: 50,
  shareBackgroundBytesMax: 2 * 1024 * 1024,
  shareFontBytesMax: 10 * 1024 * 1024,
  xProfilesMax: 100,
  functionsCpuMsMax: 30_000,
  functionsCpuMsByDefault: 1_000,
  functionsSubRequestsMax: 1_000,
  functionsSubRequestsByDefault: 50,
  functionsModulesMax: 256,
  functionsModuleBytesMax: 10_000_000,
  functionsSourceMapBytesMax: 4_000_000,
  functionsAssetsMax: 1_000,
  functionsAssetRulesMax: 100,
  functionsBodyBytesMax: 16 * 1024 * 1024,
  functionsBindingsMax: 32,
  functionsVarsMax: 64,
  functionsSecretsMax: 64,
  functionsTextBytesMax: 5_120,
  functionsCronsMax: 10,
  functionsVersionsKept: 20,
  functionsSqlLengthMax: 1024 * 1024,
  functionsRequestBytesMax: 50 * 1024 * 1024,
  functionsMemoryMb: 128,
  /** From the arrival of a request to the first byte of its answer. */
  functionsAnswerTimeoutMs: MINUTE_MS,
  /** The result of one query of the admin API. */
  functionsResultRowsMax: 10_000,
  functionsResultBytesMax: 1024 * 1024,

  statsPerSubmitMax: 64,
  /** Ranks are exact up to this place. */
  leaderboardExactRankMax: 5_000,
  leaderboardWinnersMax: 100,
  leaderboardAroundMax: 25,
  leaderboardPlayersMax: 100,
  leaderboardPeriodsListed: 100,
  leaderboardDaysKept: 31,
  leaderboardWeeksKept: 53,
  leaderboardMonthsKept: 24,
  statSignalsMax: 100,
  webhookDeliveriesMax: 100,
  webhookAnswerBytesMax: 64 * 1024,
  webhookAnswerKeptLength: 1_000,

  authFrameTimeoutMs: 5 * SECOND_MS,
  /** Bytes that a connection may send before it is authenticated. */
  authFrameBytesMax: 8 * 1024,
  // The maximum size of a room's state, and 4 KiB for the rest of the frame.
  frameBytesMax: 68 * 1024,
  framesPerSecondMax: 60,
  framesBurstMax: 120,
  /** A connection in a room: what a network that stalls for 10 s delivers together. */
  roomFramesBurstMax: 600,
  /** A frame that is above `framesBurstMax` counts once for each of these bytes that it has begun. */
  lateFrameBytes: 512,
  anonymousFramesPerSecondMax: 5,
  /** Pings, pongs and short fragments; the burst is one per second for the time that a connection may be idle. */
  controlFramesPerSecondMax: 10,
  controlFramesBurstMax: 60,
  /** A fragment that is not the last of its message counts as a control frame if it is shorter. */
  shortFragmentBytes: 128,
  /** Dropped frames between two warnings. */
  droppedFramesMax: 1_200,
  /** Replies to dropped frames with a `rid` between two warnings: as many as one client of the SDK can wait for. */
  droppedFrameRepliesMax: 256,
  rateWarningsPerMinuteMax: 3,
  brokenFramesPerMinuteMax: 2,
  pingEveryMs: 20 * SECOND_MS,
  idleTimeoutMs: MINUTE_MS,
  /** Connections in a room: with the 2 s that the close of a dead connection takes, others know of the loss after 15 s. */
  seatPingEveryMs: 5 * SECOND_MS,
  seatSilenceMs: 13 * SECOND_MS,
  sendBufferBytesMax: 1024 * 1024,

  roomPlayersMax: 64,
  roomMetadataBytesMax: 4 * 1024,
  roomStateBytesMax: 64 * 1024,
  playerStateBytesMax: 16 * 1024,
  roomsListed: 100,
  messageTypeLengthMax: 64,
  messageDataBytesMax: 16 * 1024,
  signalDataBytesMax: 8 * 1024,
  /** Rooms with code. */
  roomTicksPerSecondMax: 60,
  roomSavedBytesMax: 64 * 1024,
  roomTurnMessagesMax: 256,
  roomTurnBytesMax: 256 * 1024,
  roomWaitingInputsMax: 1_024,
  roomWaitingBytesMax: 256 * 1024,
  roomOptionsBytesMax: 4 * 1024,
  roomJoinTimeoutMs: 2 * SECOND_MS,
  roomPromiseTimeoutMs: 10 * SECOND_MS,
  roomErrorsMax: 20,
  roomErrorsWindowMs: 10 * SECOND_MS,
  roomsPerProcessMax: 1_000,
  roomFinishMinutesMax: 240,
  roomFinishMinutesByDefault: 30,
  roomKeepDaysMax: 30,
  roomsKeptMax: 10_000,
  roomsKeptPerPlayerMax: 50,
  roomTurnsRecordedMs: MINUTE_MS,
  disconnectGraceMs: 30 * SECOND_MS,
  hostGraceMs: 5 * SECOND_MS,
  wrongJoinsPerMinuteMax: 10,
  wrongJoinsPerAddressAndHourMax: 100,
  turnCredentialTtlMs: HOUR_MS,

  voiceMembersMax: 100,
  voiceMeshMembersMax: 8,
  voiceSlots: 6,
  voiceDescriptionLengthMax: 16 * 1024,
  voiceConnectsPerMinuteMax: 10,
  voiceHintsPerSecondMax: 4,
  voiceMinutesMax: 240,

  channelsPerConnectionMax: 8,
  channelMembersMax: 1_000,
  channelMembersByDefault: 100,
  channelListMax: 1_000,
  channelSendsPerSecondMax: 20,
  /** As many as the SDK queues while it reconnects. */
  channelSendsBurstMax: 64,
  moderationSecondsMax: 31_536_000,
  channelMessagesPerMinuteMax: 600,
  channelChangesPerMinuteMax: 300,

  checkoutCentsMin: 500,
  checkoutCentsMax: 1_000_000,
  checkoutUrlLengthMax: 2_000,
  inviteCreditCents: 500,
  testCreditCents: 2_000,
  /** Wrong invite codes, per account and per address. */
  wrongInviteCodesPerHourMax: 5,
} as const

/** At most `max` requests in any window of `windowMs`. */
export type RateLimit = { max: number; windowMs: number }

/**
 * The general limits of a production environment, in addition to the limits of single endpoints (GEN-13); operators may change
 * them.
 */
export const RATE_LIMITS = {
  publicPerAddress: { max: 3_000, windowMs: MINUTE_MS },
  guestsPerAddress: { max: 120, windowMs: MINUTE_MS },
  signInPerAddress: { max: 120, windowMs: MINUTE_MS },
  /** Failed sign-ins to one account from one address. */
  signInFailuresPerAddress: { max: 10, windowMs: 10 * MINUTE_MS },
  /** Failed sign-ins to one account from all addresses except those with earlier sign-ins. */
  signInFailuresPerAccount: { max: 100, windowMs: 10 * MINUTE_MS },
  secretKey: { max: 12_000, windowMs: MINUTE_MS },
  developerSession: { max: 1_200, windowMs: MINUTE_MS },
} as const satisfies Record<string, RateLimit>

/** The name of a general rate limit. */
export type RateLimitName = keyof typeof RATE_LIMITS
