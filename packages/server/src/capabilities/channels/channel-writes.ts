import type { Moderation } from '@svc/contract/realtime/channels'

import type { ActorContext } from '../../platform/actors/actor.ts'
import type { Alongside, ChannelDeps, MessageFields, ServerActor } from './channel-protocol.ts'
import type { ChannelState } from './channel-state.ts'
import type { ListChange, Lists } from './moderation.ts'
import { auditDetailsOf } from './views.ts'

/**
 * Writes the changes of servers to the database, together with their entries of the audit log (AUD-01), as long as this node owns the
 * channel. Channels that are not stored only get the entry.
 */
export function createChannelWrites(
  { id: { environmentId, key: name }, assertStillOwner }: ActorContext,
  { records, audit }: ChannelDeps,
) {
  const channel = { environmentId, name }

  const audited =
    (
      server: ServerActor,
      action: 'channel.write' | 'channel.delete' | 'channel.moderate',
      details: Record<string, unknown>,
    ): Alongside =>
    (transaction) =>
      audit.record(transaction, { ...server, action, target: name, details })

  return {
    moderate(server: ServerActor, moderation: Moderation, change: ListChange | undefined, now: string) {
      const entry = audited(server, 'channel.moderate', moderation)
      return change
        ? records.changeList(channel, change, now, assertStillOwner, entry)
        : records.note(channel, assertStillOwner, entry)
    },

    write(
      { server, changes }: MessageFields<'write'>,
      changed: { state: ChannelState; lists: Partial<Lists> },
    ) {
      const entry = audited(server, 'channel.write', auditDetailsOf(changes))
      return records.write(channel, changed, assertStillOwner, entry)
    },

    remove(server: ServerActor, { isStored }: ChannelState) {
      const entry = audited(server, 'channel.delete', {})
      return isStored
        ? records.remove(channel, assertStillOwner, entry)
        : records.note(channel, assertStillOwner, entry)
    },
  }
}
