export type { Auth } from './auth.ts'
export type { ChannelEvents, ChannelMember } from './channel-events.ts'
export type { Channel, Moderation, VoiceCalls } from './channel.ts'
export type { NewChannel } from './channels.ts'
export type { Definitions } from './config.ts'
export { connect, type ConnectOptions, type Svc } from './connect.ts'
export { isSvcError, SvcError, type SvcErrorCode } from './errors.ts'
export type {
  ClosedPeriod,
  Leaderboard,
  LeaderboardEntry,
  LeaderboardPeriod,
  Leaderboards,
  OwnEntry,
  RankEntry,
} from './leaderboard-tools.ts'
export type { Mesh, MeshEvents } from './p2p.ts'
export type { Patch, State } from './patches.ts'
export type { KeyValueStorage, Platform } from './platform.ts'
export type { LinkOptions, Provider, ProviderOptions } from './providers.ts'
export type { RoomClosedReason, RoomEvents, RoomLeaveReason, RoomPlayer } from './room-events.ts'
export type { Room } from './room.ts'
export type { MatchProgress, NewRoom, QuickMatchOptions } from './rooms.ts'
export type { PutOptions, Save, SaveSummary } from './saves.ts'
export type { Player, SessionEvents, Ban, SignedOutReason } from './session.ts'
export type { NewShareLink, ReceivedLink, Share, ShareLink, Shared } from './share-tools.ts'
export type { AudioDevice, Call, CallEvents, CallMember, CallOptions } from './voice.ts'
