import { Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { BY_PLAYER, Nullable, Timestamp } from '../common/schemas.ts'
import { ChannelVoice } from './channels.ts'
import { LiveQueue, LiveRoom, MessagesPerSecond } from './rooms.ts'

/** The live view of an environment, on all nodes. It never contains messages. */

/** A channel in the live view. */
export const LiveChannel = Type.Object({
  channel: Type.String(BY_PLAYER),
  members: Type.Integer({ description: 'including anonymous ones' }),
  voice: Nullable(ChannelVoice),
  call: Nullable(Type.Object({ members: Type.Integer(), startedAt: Timestamp })),
  node: Type.String({ description: 'id of the node that runs it' }),
  messagesPerSecond: MessagesPerSecond,
})

/** Get the current connections, rooms, queues and channels. */
export const readLiveView = endpoint('GET /v1/admin/realtime', {
  summary: 'Get the live view; current connections, rooms, queues and channels; supports ETag',
  caller: 'admin',
  role: ['developer', 'moderator'],
  etag: true,
  agent: 'read',
  response: Type.Object({
    connections: Type.Integer(),
    rooms: Type.Array(LiveRoom, { description: 'newest first' }),
    queues: Type.Array(LiveQueue),
    channels: Type.Array(LiveChannel, { description: 'largest first, at most 1,000' }),
  }),
})
