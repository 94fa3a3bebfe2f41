import { readLiveView } from '@svc/contract/realtime/live-view'

import {
  type ChannelConnection,
  channelsFrames,
  channelsRoutes,
  createChannels,
  createChannelStore,
  createServerChannels,
  isChannel,
} from '../capabilities/channels/index.ts'
import {
  createFirstRooms,
  createFirstRoomStore,
  createKeptRooms,
  createKeptStore,
  createMatchmaking,
  createModes,
  createMyRooms,
  createPeerToPeer,
  createRooms,
  createRoomViews,
  createServerRooms,
  isQueue,
  type RoomCode,
  roomFrames,
  roomRoutes,
} from '../capabilities/rooms/index.ts'
import {
  createCalls,
  createJoinCounts,
  createSuspensions,
  createVoice,
  createVoiceStore,
  voiceFrames,
  voiceMetrics,
} from '../capabilities/voice/index.ts'
import { createAuthenticate } from '../edge/realtime/auth.ts'
import { createConnectionQueries } from '../edge/realtime/connection-queries.ts'
import { createConnectionRegistry } from '../edge/realtime/connection-registry.ts'
import type { Connection } from '../edge/realtime/connection.ts'
import { createConnections } from '../edge/realtime/connections.ts'
import { createRequireFeature } from '../edge/realtime/features.ts'
import { createLoginLine } from '../edge/realtime/login-line.ts'
import { createRealtime } from '../edge/realtime/realtime.ts'
import { createRevalidation } from '../edge/realtime/revalidation.ts'
import { createSimulatedNetworks } from '../edge/realtime/simulated-networks.ts'
import { createActors } from '../platform/actors/actors.ts'
import { createNodes } from '../platform/actors/nodes.ts'
import { createQueries } from '../platform/actors/queries.ts'
import { ApiError } from '../platform/api-error.ts'
import { MINUTE_MS } from '../platform/clock.ts'
import { rawObject, withEtag } from '../platform/http/raw-json.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import { createCache } from '../platform/memory/cache.ts'
import { single } from '../platform/metrics/metrics.ts'
import { createRequestIds } from '../platform/random.ts'
import { createTimers } from '../platform/time/timers.ts'
import type { Developers } from './developers.ts'
import type { Edge } from './edge.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Money } from './money.ts'
import type { Players } from './players.ts'

type RealtimeModuleDeps = Pick<
  Players,
  'players' | 'requireNameOf' | 'mayWriteAmong' | 'displayNamesOf' | 'chains' | 'ages' | 'deletions'
> & {
  developers: Pick<Developers, 'projects'>
  edge: Pick<Edge, 'http' | 'lookups' | 'onHostUpgrade' | 'clientAddressOf'>
  money: Pick<Money, 'noteUsage' | 'isOverdue' | 'onSuspension'>
  roomCode: RoomCode
}

/** Connections, rooms with their matchmaking, channels with their calls. */
export function buildRealtime(foundation: Foundation, deps: RealtimeModuleDeps) {
  const { tools, bus, cluster, counters, clock, random, turn, sfu, background, addresses, log } = foundation
  const { events, unavailable, currentConfig, configOf, tracing } = foundation
  const { players, chains, ages, deletions } = deps
  const { http, lookups, onHostUpgrade, clientAddressOf } = deps.edge
  const { records } = cluster
  const report = (error: unknown) => log.error({ err: error }, 'realtime failed')

  const requestIds = createRequestIds(random)
  const timers = createTimers(clock)
  const connections = createConnections(cluster.nodeId)
  const ownNodes = createNodes(cluster, report)
  const nodes = tracing?.nodes(ownNodes) ?? ownNodes
  const queries = createQueries(nodes)
  const actors = createActors<Connection>({ cluster, nodes, connections, timers, report })
  const allConnections = createConnectionQueries(queries, connections)
  const simulatedNetworks = createSimulatedNetworks({ connections, queries, timers, clock, random })

  const modes = createModes(currentConfig)
  const firstRooms = createFirstRooms(createFirstRoomStore(foundation.db), { clock, background })
  const environments = createCache({
    read: deps.developers.projects.findEnvironment,
    ttlMs: MINUTE_MS,
    entriesMax: 10_000,
  })
  const isDevelopment = async (environmentId: string) =>
    (await environments.get(environmentId))?.name === 'development'
  const { displayNamesOf } = deps
  const kept = createKeptRooms(createKeptStore(foundation.db), {
    clock,
    displayNamesOf,
    warn: (about, message) => log.warn(about, message),
  })
  const rooms = createRooms({
    ...tools,
    actors,
    kept,
    queries,
    records,
    modes,
    turn,
    code: deps.roomCode,
    processesMax: foundation.settings.functions.roomProcessesMax,
    isDevelopment,
    timers,
    opened: firstRooms.note,
    report,
  })
  const serverRooms = createServerRooms({
    rooms,
    record: (change) =>
      foundation.db.transaction((transaction) => foundation.audit.record(transaction, change)),
  })
  const matchmaking = createMatchmaking({
    ...rooms,
    actors,
    queries,
    modes,
    clock,
    report,
    code: deps.roomCode,
  })
  const isChild = async (environmentId: string, playerId: string) =>
    (await ages.bandOf({ id: environmentId }, playerId)) === 'child'
  const peerToPeer = createPeerToPeer({
    rooms,
    modes,
    turn,
    clock,
    isChild,
  })
  const roomViews = createRoomViews({
    nodeId: cluster.nodeId,
    queries,
    roomsHere: rooms.here,
    queuesHere: matchmaking.here,
  })

  const myRooms = createMyRooms({ kept, modes, queries, roomsHere: rooms.here, displayNamesOf })

  const channelStore = createChannelStore(foundation.db)
  const readFeatures = async (environmentId: string) => (await configOf(environmentId)).features
  const requireFeature = createRequireFeature(readFeatures, unavailable)
  const requireVoice = (environmentId: string) => requireFeature(environmentId, 'voice')
  const voiceStore = createVoiceStore(foundation.db)
  const isOverdue = (projectId: string) => deps.money.isOverdue({ projectId })
  const calls = createCalls({
    ...tools,
    sfu,
    turn,
    minutesMax: foundation.settings.voice.minutesMax,
    isChild,
    isSuspended: voiceStore.isSuspended,
    isOverdue,
    noteUsage: deps.money.noteUsage,
    report,
  })
  const voiceSuspensions = createSuspensions(voiceStore, {
    ...tools,
    audit: foundation.audit,
    findProject: deps.developers.projects.idOf,
    closeCalls: (projectId) => calls.closeOf(projectId, ['p2p', 'sfu']),
    noteRevocation: (transaction, subject) =>
      foundation.revocations.note(transaction, { kind: 'voice', environmentId: null, subject }),
  })
  /** A developer became overdue: finds the affected projects among those with calls on this node, and closes their calls. */
  async function closeOverdueCalls() {
    for (const projectId of calls.projects())
      if (await isOverdue(projectId)) calls.closeOf(projectId, ['sfu'])
  }
  deps.money.onSuspension((_, isNow) => isNow && background.run(closeOverdueCalls))

  const channels = createChannels(actors, {
    ...tools,
    nodeId: cluster.nodeId,
    queries,
    records: channelStore,
    audit: foundation.audit,
    find: channelStore.find,
    requireVoice,
    openCall: calls.open,
    rejoined: (connection, channel) => voice.channelMoved(connection, channel),
  })
  const joinCounts = createJoinCounts()
  const voice = createVoice<ChannelConnection>({ askCall: channels.askCall, countJoin: joinCounts.count })
  const serverChannels = createServerChannels(actors, { counters, requireVoice })

  async function removeFromRooms(environmentId: string, playerId: string, reason: 'banned' | 'left') {
    await matchmaking.removePlayer(environmentId, playerId).catch(report)
    // The room last: the player may have got a seat from matchmaking in the meantime.
    await rooms.removePlayer(environmentId, playerId, reason).catch(report)
  }
  async function leaveEverything(environmentId: string, playerId: string) {
    await removeFromRooms(environmentId, playerId, 'left')
    await channels.removePlayer(environmentId, playerId)
  }
  const revalidation = createRevalidation({
    findKey: lookups.findKey,
    isDeleted: deletions.has,
    requireMayWrite: players.requireMayWrite,
    requireLiveSession: chains.requireLive,
    mayWriteAmong: deps.mayWriteAmong,
    liveAmong: chains.liveAmong,
    leaveRoom: removeFromRooms,
    leaveEverything,
  })
  const logins = createLoginLine()
  const newest = createConnectionRegistry({ records, close: actors.close })
  const realtime = createRealtime({
    ...tools,
    server: http.server,
    requestIds,
    onHostUpgrade,
    connections,
    logins,
    timers,
    isLimited: foundation.settings.rateLimits !== 'off',
    clientAddressOf,
    unavailableFeatures: unavailable,
    readFeatures,
    authenticate: (requireFeature) =>
      createAuthenticate({
        lookups,
        requireFeature,
        requireNameOf: deps.requireNameOf,
        renames: () => connections.renames,
        allowedOrigins: async (environmentId) => (await configOf(environmentId)).web.allowedOrigins,
        addresses,
      }),
    requireStillAllowed: revalidation.requireStillAllowed,
    notAllowedAmong: revalidation.notAllowedAmong,
    replaceConnection: newest.replaceConnection,
    resumableRoom: rooms.resumable,
    playerConnected: (connection, { environmentId, id }) =>
      simulatedNetworks.connected(connection, environmentId, id),
    connectionClosed(connection, wasLost) {
      actors.connectionClosed(connection, wasLost)
      const player = connection.identity?.player
      if (player) background.run(() => newest.leave(player, connection.ref))
    },
    featureSwitchedOff(_environmentId, feature, affected) {
      if (feature === 'multiplayer') background.run(() => rooms.closeFor(affected))
      if (feature === 'voice') background.run(() => voice.closeFor(affected))
      if (feature === 'realtimeChannels') background.run(() => channels.closeFor(affected))
    },
    asApiError(error) {
      if (error instanceof ApiError) return error
      const requestId = requestIds()
      log.error({ err: error, requestId }, 'internal_error')
      return new ApiError('internal_error', { requestId })
    },
  })
  bus.subscribe('keys', () => background.run(realtime.recheckKeys))
  bus.subscribe('config', (environmentId) => background.run(() => realtime.configChanged(environmentId)))

  async function recheckPlayer(environmentId: string, playerId: string) {
    const refusal = await realtime.recheckPlayer(environmentId, playerId)
    background.run(() => revalidation.leaveAfter(refusal, environmentId, playerId))
  }

  /** Renames on all nodes: in the player's connections, room, queue and channels (ROM-06). */
  async function rename(environmentId: string, player: { id: string; displayName: string }) {
    const memberships = await allConnections.rename(environmentId, player.id, player.displayName)
    await rooms.rename(environmentId, player, memberships.filter(isQueue))
    await channels.rename(player, memberships.filter(isChannel))
  }

  events.on('player.disconnected', realtime.disconnect)
  // A closed connection alone would keep the seat.
  events.on('player.banned', (environmentId, playerId) => removeFromRooms(environmentId, playerId, 'banned'))
  // If this fails, the next lookup of the account corrects the name.
  events.on('player.renamed', (...renamed) => rename(...renamed).catch(report))

  return {
    recheckPlayer,
    recheckKeys: realtime.recheckKeys,
    configChanged: realtime.configChanged,
    /** Removes a deleted player from rooms and channels. */
    leaveEverything,
    queries,
    connectionsHere: () => connections.size,
    /** The number of open connections, on all nodes. */
    online: allConnections.count,
    onlineInEach: allConnections.countMany,
    onlinePlayers: allConnections.players,
    onlineAmong: allConnections.playersAmong,
    simulateNetwork: simulatedNetworks.set,
    firstRoomAt: firstRooms.find,
    connectionsOf: allConnections.countOfPlayer,
    roomOf: rooms.roomOfPlayer,

    suspendVoice: voiceSuspensions.setSuspended,
    closeSuspendedCalls: voiceSuspensions.closeIfSuspended,

    mount({ route, metric }: Mounts) {
      channelsRoutes(route, serverChannels)
      const on = tracing?.frames(realtime.on) ?? realtime.on
      channelsFrames(on, channels)
      voiceFrames(on, voice)
      realtime.metrics.forEach(metric)
      metric(single('svc_realtime_logins_waiting', () => logins.waiting))
      metric(single('svc_rooms', () => actors.count('room')))
      metric(single('svc_channels', () => actors.count('channel')))
      metric(single('svc_matchmaking_waiting', matchmaking.countWaiting))
      voiceMetrics(calls, joinCounts, sfu).forEach(metric)
      roomRoutes(route, { views: roomViews, serverRooms, myRooms })
      roomFrames(on, { rooms, matchmaking, peerToPeer })
      route(readLiveView, async ({ environment: { id } }) =>
        withEtag(
          rawObject({
            connections: await allConnections.count(id),
            ...(await roomViews.live(id)),
            channels: await channels.liveView(id),
          }),
        ),
      )
    },

    keptRoomData: kept.personalData,

    jobs: [
      {
        name: 'rooms.open',
        everyMs: MINUTE_MS,
        run: (_: number, stopping: AbortSignal) => rooms.openDueRooms(stopping),
      },
      hourlyRemoval('rooms.expire', rooms.removeExpiredRooms),
    ],

    /** Shutdown, first phase: before requests are drained. */
    closeConnections: realtime.closeConnections,
    /** When no request can arrive any more, and before functions are stopped: rooms with code make their last turn here. */
    pauseRooms: actors.prepareRelease,
    /** Second phase: after requests are drained. */
    async releaseActors() {
      await actors.release()
      rooms.stopCode()
      calls.stop()
      timers.stop()
    },
  }
}
