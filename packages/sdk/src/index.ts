export type { Auth } from './session/auth.ts'
export type { ChannelEvents, ChannelMember, ChannelSelf } from './realtime/channel-events.ts'
export type { Channel, Moderation, VoiceCalls } from './realtime/channel.ts'
export type { NewChannel } from './realtime/channels.ts'
export type { Prediction, PredictOptions, SmoothOptions, Sync } from './code-rooms/types.ts'
export type { Definitions } from './data/config.ts'
export { connect, type ConnectOptions, type Svc } from './connect.ts'
export { isSvcError, SvcError, type SvcErrorCode } from './http/errors.ts'
export type {
  ClosedPeriod,
  Leaderboard,
  LeaderboardEntry,
  LeaderboardPeriod,
  Leaderboards,
  Nearby,
  OwnEntry,
  RankEntry,
} from './data/leaderboard-tools.ts'
export type { Mesh, MeshEvents } from './realtime/p2p.ts'
export type { Patch, State } from './realtime/patches.ts'
export type { KeyValueStorage, Platform } from './http/platform.ts'
export type { LinkOptions, Provider, ProviderOptions } from './session/providers.ts'
export type { RoomClosedReason, RoomEvents, RoomLeaveReason, RoomPlayer } from './realtime/room-events.ts'
export type { Room } from './realtime/room.ts'
export type { MatchProgress, NewRoom, QuickMatchOptions } from './realtime/rooms.ts'
export type { PutOptions, Save, SaveSummary } from './data/saves.ts'
export type { Submitted } from './data/stats.ts'
export type { Player, SessionEvents, Ban, SignedOutReason } from './session/session.ts'
export type { NewShareLink, ReceivedLink, Share, ShareLink, Shared } from './share/share-tools.ts'
export type { AudioDevice, Call, CallEvents, CallMember, CallOptions } from './voice/voice.ts'
