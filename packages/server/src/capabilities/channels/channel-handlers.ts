import type { Handlers } from '../../platform/actors/actor.ts'
import type { ChannelProtocol } from './channel-protocol.ts'
import type { Channel } from './channel.ts'

/** What a channel does with each message. */
export const channelHandlers: Handlers<ChannelProtocol, Channel> = {
  join: (channel, joiner) => channel.join(joiner),
  create: (channel, message) => channel.create(message),
  leave: (channel, { ref }) => channel.leave(ref),
  removeWithReason: (channel, message) => channel.removeWithReason(message),
  send: (channel, message) => channel.send(message),
  sendAsServer: (channel, message) => channel.sendAsServer(message),
  moderate: (channel, message) => channel.moderate(message),
  write: (channel, message) => channel.write(message),
  read: (channel) => channel.view(),
  delete: (channel, message) => channel.delete(message),
  forget: (channel, { playerId }) => channel.forget(playerId),
  rename: (channel, { player }) => channel.rename(player),
  call: (channel, message) => channel.receiveForCall(message),
}
