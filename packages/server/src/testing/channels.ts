import assert from 'node:assert/strict'

import { newGuest } from './guests.ts'
import type { Call, Service, TestEnvironment } from './service.ts'
import { connect } from './sockets.ts'

export type ChannelClient = Awaited<ReturnType<typeof connect>>
export type ChannelApp = Awaited<ReturnType<typeof newChannelApp>>

/** A project with channels on. A connection is a new guest, unless a player or an anonymous connection is requested. */
export async function newChannelApp(service: Service, features: object = {}) {
  const project = await service.newProject()
  const side: TestEnvironment = project.development
  const setFeatures = async (on: object) => {
    const { status } = await side.server('PUT', '/v1/config', { features: on })
    assert.equal(status, 200)
  }
  await setFeatures({ realtimeChannels: true, ...features })

  const sockets: ChannelClient[] = []
  const remember = (talker: ChannelClient) => (sockets.push(talker), talker)
  return {
    project,
    side,
    setFeatures,
    join: async (at: Pick<Service, 'http'> = service) =>
      remember(await connect(at, side, await newGuest(side))),
    joinAs: async (guest: { accessToken: string }, at: Pick<Service, 'http'> = service) =>
      remember(await connect(at, side, guest)),
    joinAnonymously: async (at: Pick<Service, 'http'> = service) => remember(await connect(at, side)),
    server: serverOf(side.server),
    /** The same key, on another node. */
    serverAt: (other: Service) => serverOf(other.withKey(side.secretKey)),
    closeAll: () => Promise.all(sockets.map((socket) => socket.close())),
  }
}

/** A developer's server. */
function serverOf(call: Call) {
  const path = (channel: string) => `/v1/realtime/channels/${encodeURIComponent(channel)}`
  return {
    put: (channel: string, changes: object = {}) => call('PUT', path(channel), changes),
    read: (channel: string) => call('GET', path(channel)),
    remove: (channel: string) => call('DELETE', path(channel)),
    send: (channel: string, message: object) => call('POST', `${path(channel)}/messages`, message),
    moderate: (channel: string, moderation: object) => call('POST', `${path(channel)}/moderate`, moderation),
  }
}

/** The received events of one type and one channel, in order. */
export async function eventsOf(talker: ChannelClient, t: string, channel: string) {
  await talker.settled()
  return talker.received.filter((event) => event.t === t && event['channel'] === channel)
}

/** The last one, without `t` and `channel`. */
export async function lastOf(talker: ChannelClient, type: string, inChannel: string) {
  const { t: _, channel: __, ...fields } = (await eventsOf(talker, type, inChannel)).at(-1) ?? { t: '' }
  return fields
}
