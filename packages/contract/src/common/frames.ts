import * as channels from '../realtime/channels.ts'
import * as peerToPeer from '../realtime/peer-to-peer.ts'
import * as realtime from '../realtime/realtime.ts'
import * as rooms from '../realtime/rooms.ts'
import * as voice from '../realtime/voice.ts'
import type { Frame, ServerEvent } from './frame.ts'

/** A heading of the WebSocket reference. */
export type FramePart = {
  title: string
  about: string
  frames: readonly Frame[]
  events: readonly ServerEvent[]
}

const isFrame = (value: unknown): value is Frame =>
  typeof value === 'object' && value !== null && 't' in value && 'reply' in value

const isServerEvent = (value: unknown): value is ServerEvent =>
  typeof value === 'object' && value !== null && 't' in value && !('reply' in value)

const part = (title: string, about: string, module: object): FramePart => ({
  title,
  about,
  frames: Object.values(module).filter(isFrame),
  events: Object.values(module).filter(isServerEvent),
})

/** All frames of the WebSocket, in the order of the specification. */
export const FRAME_PARTS: readonly FramePart[] = [
  part(
    'The connection',
    'A WebSocket at `/v1/realtime`. The first frame authenticates the connection. A request with a `rid` gets a `reply` with the same `rid`.',
    realtime,
  ),
  part(
    'Rooms and matchmaking',
    'Requires the `multiplayer` feature. A connection can be in one room at a time. After a lost connection, the player’s seat is kept for 30 s.',
    rooms,
  ),
  part(
    'Peer-to-peer rooms',
    'In a mode with `transport: "p2p"` players exchange messages directly; svc forwards their signals.',
    peerToPeer,
  ),
  part(
    'Realtime channels',
    'Named message channels, up to 8 per connection. Messages are not stored: only current members receive them. ' +
      'A channel without `@` has no owner: it is created when the first member joins and removed when the last one leaves. A channel with `@` is created by a server and stays, ' +
      'or by a player who owns it until its last member leaves, even after leaving and coming back. A lost connection counts as leaving; ' +
      'the last member has 10 s to come back before the channel closes.',
    channels,
  ),
  part(
    'Voice calls',
    'Requires the `voice` feature. Calls in channels that were created with `voice`: up to 8 people talk peer-to-peer, up to 100 through a relay. ' +
      'Nothing is recorded. The client offers first: `voiceJoin`, then in a relayed call `voicePublish`, `voice_sfu_offer`, `voiceAnswer`.',
    voice,
  ),
]

/** Every request frame, by its `t`. */
export const FRAMES: readonly Frame[] = FRAME_PARTS.flatMap(({ frames }) => frames)
