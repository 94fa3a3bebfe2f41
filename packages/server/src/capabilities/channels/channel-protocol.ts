import type { Actor, EnvironmentName } from '@svc/contract/common/schemas'
import type {
  ChannelChanges,
  ChannelClosedReason,
  ChannelMember,
  ChannelView,
  ChannelVoice,
  Moderation,
} from '@svc/contract/realtime/channels'

import type { ActorName, ConnectionRef } from '../../platform/actors/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { OpenCall } from '../../platform/ports/channel-call.ts'
import type { Joiner } from './channel-members.ts'
import type { ChannelStateText } from './channel-state.ts'
import type { ChannelRecords, Transaction } from './store.ts'

export type { Alongside, ChannelRecords, StoredChannel } from './store.ts'

type Done = object

/** The messages that a channel accepts. `data` is JSON text. */
export type ChannelProtocol = {
  join: { message: Joiner & { isRejoin?: boolean }; answer: Done }
  create: {
    message: { ref: ConnectionRef; player: ChannelMember; changes: ChannelChanges }
    answer: Done
  }
  leave: { message: { ref: ConnectionRef }; answer: Done }
  removeWithReason: { message: { ref: ConnectionRef; reason: ChannelClosedReason }; answer: Done }
  send: { message: { ref: ConnectionRef; messageType: string; data: string }; answer: Done }
  sendAsServer: { message: { messageType: string; data: string }; answer: { delivered: number } }
  moderate: {
    message: { by: { playerId: string | null } | { server: ServerActor }; moderation: Moderation }
    answer: Done
  }
  write: { message: { server: ServerActor; changes: ChannelChanges }; answer: ChannelView }
  read: { message: object; answer: ChannelView }
  delete: { message: { server: ServerActor }; answer: { deleted: true } }
  /** Removes a deleted player from the lists and as the owner. */
  forget: { message: { playerId: string }; answer: Done }
  rename: { message: { player: ChannelMember }; answer: Done }
  /** A request about the call of the channel. */
  call: { message: { ref: ConnectionRef; request: { type: string } }; answer: object }
}

export type ChannelName = ActorName<ChannelProtocol>
export type MessageFields<Type extends keyof ChannelProtocol> = ChannelProtocol[Type]['message']

/** Who made the change, for the audit log. */
export type ServerActor = { projectId: string; env: EnvironmentName; actor: Actor }

/** The state from which the next owner starts. Null: it is in the database. */
export type ChannelSnapshot = { state: ChannelStateText | null }

type Audit = {
  record(
    transaction: Transaction,
    entry: ServerActor & {
      action: 'channel.write' | 'channel.delete' | 'channel.moderate'
      target: string
      details: Record<string, unknown>
    },
  ): Promise<void>
}

export type ChannelDeps = {
  clock: Clock
  records: ChannelRecords
  audit: Audit
  openCall: OpenCall
}

/** One row of the developer's live view. */
export type ChannelSummary = {
  channel: string
  members: number
  voice: ChannelVoice | null
  call: { members: number; startedAt: string } | null
  node: string
  messagesPerSecond: number
}
