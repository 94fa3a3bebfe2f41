import type { Server } from 'node:http'

import { readLiveView } from '@svc/contract/live-view'

import {
  channelsFrames,
  channelsRoutes,
  createChannels,
  createChannelStore,
  createServerChannels,
  isChannel,
} from '../capabilities/channels/index.ts'
import {
  createMatchmaking,
  createModes,
  createPeerToPeer,
  createRooms,
  createRoomViews,
  isQueue,
  roomFrames,
  roomRoutes,
} from '../capabilities/rooms/index.ts'
import type { Doors } from '../edge/http/callers/callers.ts'
import { createAuthenticate } from '../edge/realtime/auth.ts'
import { createConnectionRegistry } from '../edge/realtime/connection-registry.ts'
import type { Connection } from '../edge/realtime/connection.ts'
import { createConnections } from '../edge/realtime/connections.ts'
import { createRealtime } from '../edge/realtime/realtime.ts'
import { createActors } from '../platform/actors/actors.ts'
import { ApiError } from '../platform/api-error.ts'
import { createRequestIds } from '../platform/random.ts'
import { rawObject } from '../platform/raw-json.ts'
import { createTimers } from '../platform/timers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Players } from './players.ts'

type ConnectionQuestion = { environmentId: string; rename?: { id: string; displayName: string } }

export type RealtimeNeeds = Pick<Players, 'players' | 'displayNameOf' | 'chains' | 'ages'> & {
  server: Server
  doors: Doors
  onHostUpgrade: Parameters<typeof createRealtime>[0]['onHostUpgrade']
  isDeleted(environmentId: string, playerId: string): boolean
}

/** Where players meet: connections, rooms and their matchmaking, channels. */
export function buildRealtime(ground: Foundation, needs: RealtimeNeeds) {
  const { bus, cluster, counters, clock, random, ids, turn, background, addresses, log } = ground
  const { unavailable, currentConfig, configOf } = ground
  const { players, chains, ages, doors, isDeleted } = needs
  const { records } = cluster
  const report = (error: unknown) => log.error({ err: error }, 'realtime failed')

  const requestIds = createRequestIds(random)
  const timers = createTimers(clock)
  const connections = createConnections(cluster.nodeId)
  const actors = createActors<Connection>({ cluster, connections, timers, report })

  const modes = createModes(currentConfig)
  const rooms = createRooms({ actors, records, counters, modes, clock, random, ids, turn, report })
  const matchmaking = createMatchmaking({ ...rooms, actors, modes, clock, report })
  const peerToPeer = createPeerToPeer({
    rooms,
    modes,
    turn,
    clock,
    isChild: async (environmentId, playerId) =>
      (await ages.bandOf({ id: environmentId }, playerId)) === 'child',
  })
  const roomViews = createRoomViews(actors)

  const channelStore = createChannelStore(ground.db)
  const channels = createChannels(actors, {
    clock,
    random,
    records: channelStore,
    audit: ground.audit,
    find: channelStore.find,
    requireVoice,
    // Filled by voice.
    isCallLive: () => false,
  })
  const serverChannels = createServerChannels(actors, { counters, requireVoice })

  async function requireVoice(environmentId: string) {
    const details = { feature: 'voice', configPath: 'features.voice' }
    if (unavailable.has('voice')) throw new ApiError('feature_unavailable', details)
    if (!(await configOf(environmentId)).features.voice) throw new ApiError('feature_disabled', details)
  }

  const newest = createConnectionRegistry({ records, close: actors.close })
  const realtime = createRealtime({
    server: needs.server,
    requestIds,
    onHostUpgrade: needs.onHostUpgrade,
    connections,
    clock,
    timers,
    bus,
    isLimited: ground.settings.rateLimits !== 'off',
    trustedProxies: ground.settings.trustedProxies,
    unavailableFeatures: unavailable,
    readFeatures: async (environmentId) => (await configOf(environmentId)).features,
    authenticate: (requireFeature) =>
      createAuthenticate({
        doors,
        requireFeature,
        requireMayWrite: players.requireMayWrite,
        displayName: ({ environmentId, id }) => needs.displayNameOf(environmentId, id),
        renames: () => connections.renames,
        allowedOrigins: async (environmentId) => (await configOf(environmentId)).web.allowedOrigins,
        addresses,
      }),
    async requireStillAllowed(key, player) {
      if (!(await doors.findKey(key))) throw new ApiError('invalid_key')
      if (!player) return
      if (isDeleted(player.environmentId, player.id)) throw new ApiError('session_revoked')
      await players.requireMayWrite(player)
      await chains.requireLive(player)
    },
    replaceConnection: newest.replaceConnection,
    resumableRoom: rooms.resumable,
    connectionClosed(connection) {
      actors.connectionClosed(connection)
      const player = connection.identity?.player
      if (player) background.run(() => newest.leave(player, connection.ref))
    },
    featureSwitchedOff(_environmentId, feature, there) {
      if (feature === 'multiplayer') background.run(() => rooms.closeFor(there))
      if (feature === 'realtimeChannels') background.run(() => channels.closeFor(there))
    },
    asApiError(error) {
      if (error instanceof ApiError) return error
      const requestId = requestIds()
      log.error({ err: error, requestId }, 'internal_error')
      return new ApiError('internal_error', { requestId })
    },
  })
  bus.subscribe('keys', () => background.run(realtime.recheckKeys))
  bus.subscribe('config', realtime.configChanged)

  const expel = (environmentId: string, playerId: string, reason: 'banned' | 'left') =>
    rooms.removePlayer(environmentId, playerId, reason).catch(report)
  async function leaveEverything(environmentId: string, playerId: string) {
    await expel(environmentId, playerId, 'left')
    await channels.removePlayer(environmentId, playerId)
  }
  /** A connection that is only lost would keep its seat. */
  async function recheckPlayer(environmentId: string, playerId: string) {
    const refusal = await realtime.recheckPlayer(environmentId, playerId)
    if (refusal?.code === 'player_banned') background.run(() => expel(environmentId, playerId, 'banned'))
    else if (refusal && isDeleted(environmentId, playerId))
      background.run(() => leaveEverything(environmentId, playerId))
  }

  actors.define(
    {
      kind: 'connections',
      open: () => undefined,
      survey: (_, question) => surveyConnections(question as ConnectionQuestion),
    },
    async () => {},
  )
  function surveyConnections({ environmentId, rename }: ConnectionQuestion): number | string[] {
    if (!rename) return connections.ofEnvironment(environmentId).length
    return connections.rename(environmentId, rename.id, rename.displayName)
  }
  async function countConnections(environmentId: string): Promise<number> {
    const question: ConnectionQuestion = { environmentId }
    const counts = (await actors.survey('connections', environmentId, question)) as number[]
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** On all nodes: its connections, the room it has a seat in, the queue it waits in, its channels (ROM-06). */
  async function rename(environmentId: string, player: NonNullable<ConnectionQuestion['rename']>) {
    const question: ConnectionQuestion = { environmentId, rename: player }
    const memberships = ((await actors.survey('connections', environmentId, question)) as string[][]).flat()
    await rooms.rename(environmentId, player, memberships.filter(isQueue))
    await channels.rename(player, memberships.filter(isChannel))
  }

  return {
    disconnect: realtime.disconnect,
    /** Of what fails the next look at the account makes up: the name is stored already. */
    rename: (environmentId: string, player: { id: string; displayName: string }) =>
      rename(environmentId, player).catch(report),
    expel,
    recheckPlayer,
    recheckKeys: realtime.recheckKeys,
    configChanged: realtime.configChanged,
    leaveEverything,

    mount({ route }: Mounts) {
      channelsRoutes(route, serverChannels)
      channelsFrames(realtime.on, channels)
      roomRoutes(route, roomViews)
      roomFrames(realtime.on, { rooms, matchmaking, peerToPeer })
      route(readLiveView, async ({ environment: { id } }) =>
        rawObject({
          connections: await countConnections(id),
          ...(await roomViews.live(id)),
          channels: await channels.liveView(id),
        }),
      )
    },

    /** Connections are told to go before requests are drained, rooms and channels end after. */
    tellToGo: realtime.stop,
    async stop() {
      await actors.stop()
      timers.stop()
    },
  }
}
