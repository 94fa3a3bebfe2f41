import type {
  ChannelChanges,
  ChannelClosedReason,
  ChannelMember,
  ChannelVoice,
  Moderation,
} from '@svc/contract/channels'
import type { Actor, EnvironmentName } from '@svc/contract/shapes'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Joiner } from './channel-members.ts'
import type { ChannelStateText } from './channel-state.ts'
import type { ChannelRecords, Transaction } from './store.ts'

export type { Alongside, ChannelRecords, StoredChannel } from './store.ts'

/** What a channel is asked, one at a time. `data` is JSON text. */
export type ChannelMessage =
  | ({ ask: 'join'; isRejoin?: boolean } & Joiner)
  | { ask: 'create'; ref: ConnectionRef; player: ChannelMember; changes: ChannelChanges }
  | { ask: 'leave'; ref: ConnectionRef }
  | { ask: 'dismiss'; ref: ConnectionRef; reason: ChannelClosedReason }
  | { ask: 'send'; ref: ConnectionRef; type: string; data: string }
  | { ask: 'sendAsServer'; type: string; data: string }
  | { ask: 'moderate'; by: { playerId: string | null } | { server: ServerActor }; moderation: Moderation }
  | { ask: 'write'; server: ServerActor; changes: ChannelChanges }
  | { ask: 'read' }
  | { ask: 'delete'; server: ServerActor }
  | { ask: 'forget'; playerId: string }
  | { ask: 'rename'; player: ChannelMember }

/** Whose change it is, for the audit log. */
export type ServerActor = { projectId: string; env: EnvironmentName; actor: Actor }

export type MessageOf<Name extends ChannelMessage['ask']> = Extract<ChannelMessage, { ask: Name }>

/** What the next owner starts from. Null: the database has it. */
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

export type ChannelNeeds = {
  clock: Clock
  records: ChannelRecords
  audit: Audit
  isCallLive(environmentId: string, channel: string): boolean
}

/** One line of the developer's live view. */
export type ChannelSummary = { channel: string; members: number; voice: ChannelVoice | null }
