import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

import type { FeatureName } from '@svc/contract/common/features'
import { LIMITS } from '@svc/contract/common/limits'
import { CLOSE_CODES, ping, REALTIME_PATH } from '@svc/contract/realtime/realtime'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, millisecondsOf, SECOND_MS } from '../../platform/clock.ts'
import { Counts, type Metric, single } from '../../platform/metrics/metrics.ts'
import type { Player } from '../../platform/player.ts'
import type { Messages } from '../../platform/ports/bus.ts'
import { runEach } from '../../platform/run-each.ts'
import type { Timers } from '../../platform/time/timers.ts'
import type { ClientAddressOf } from '../http/callers/client-address.ts'
import type { Authenticate } from './auth.ts'
import { type ClientInput, Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { createLiveFeatures, type Features } from './features.ts'
import { PLAYER_RATE } from './frame-rate-limit.ts'
import { createFrames } from './frames.ts'
import type { LoginLine } from './login-line.ts'
import { createProtocol } from './protocol.ts'
import { createRechecks, type Disconnection } from './rechecks.ts'
import { acceptWebSocket, refuseUpgrade } from './websocket/upgrade.ts'

type RealtimeDeps = {
  server: Server
  requestIds: () => string
  /** True if the host is not the API's: then the upgrade is taken over or refused there. */
  onHostUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    requestId: string,
    refuse: (error: ApiError) => void,
  ): boolean
  connections: Connections
  logins: LoginLine
  clock: Clock
  timers: Timers
  bus: Messages
  isLimited: boolean
  clientAddressOf: ClientAddressOf
  unavailableFeatures: ReadonlySet<string>
  readFeatures(environmentId: string): Promise<Features>
  authenticate(requireFeature: (environmentId: string, feature: FeatureName) => void): Authenticate
  /** Throws the error with which the connection must be closed. */
  requireStillAllowed(key: string, player: Player | null): Promise<void>
  /** Those of these players of one environment who may not stay. */
  notAllowedAmong(environmentId: string, players: readonly Player[]): Promise<ReadonlySet<Player>>
  /** Registers this as the player's connection; the previous one, on any node, is closed as replaced. */
  replaceConnection(player: Player, ref: string, isStillConnected: () => boolean): Promise<void>
  /** The seat that the player could resume. */
  resumableRoom(player: Player): Promise<{ id: string } | null>
  /** A player has connected; called before `welcome` is sent. */
  playerConnected(connection: Connection, player: Player): void
  /** A connection has closed. `wasLost`: its client is probably back in a moment. */
  connectionClosed(connection: Connection, wasLost: boolean): void
  featureSwitchedOff(environmentId: string, feature: FeatureName, connections: Connection[]): void
  asApiError(error: unknown): ApiError
}

const DISCONNECT = 'realtime:disconnect'
/** A client whose login takes this long, in the line and out of it, is asked to come again. */
const LOGIN_TIMEOUT_MS = 30 * SECOND_MS
const CLOSE_GRACE_MS = 2_000
/** Clients choose any code from 1000 to 4999: a label must not have as many values. 1006: the connection was lost. */
const KNOWN_CODES: ReadonlySet<number> = new Set([
  ...Object.values(CLOSE_CODES),
  1000,
  1001,
  1002,
  1003,
  1005,
  1006,
  1007,
  1009,
  1011,
])
/**
 * CHN-26: with these the client is not coming back: it closed the connection itself (1000, 1005), its page is gone (1001), or it may
 * not.
 */
const LEAVING_CODES: ReadonlySet<number> = new Set([
  1000,
  1001,
  1005,
  CLOSE_CODES.unauthorized,
  CLOSE_CODES.forbidden,
])
const SOCKET_LIMITS = {
  payloadBytesMax: LIMITS.frameBytesMax,
  firstMessageBytesMax: LIMITS.authFrameBytesMax,
}

export type Realtime = ReturnType<typeof createRealtime>

/** The WebSocket at /v1/realtime: accepts, supervises and closes connections. */
export function createRealtime(deps: RealtimeDeps) {
  const { server, requestIds, connections, logins, clock, timers, bus, asApiError } = deps
  const elapsedMs = () => clock.elapsedMs()
  const features = createLiveFeatures({
    read: deps.readFeatures,
    unavailable: deps.unavailableFeatures,
    switchedOff,
  })
  const frames = createFrames(features.require)
  frames.on(ping, () => ({}))
  const authenticate = deps.authenticate(features.require)
  const protocol = createProtocol({
    frames,
    acceptConnection: (connection, fields) =>
      logins.run(connection, () => acceptConnection(connection, fields)),
    isSamePlayer,
    asApiError,
    elapsedMs,
  })
  let isStopping = false
  const closes = new Counts('svc_realtime_closes_total', 'code', [...KNOWN_CODES].map(String))
  const input: ClientInput = {
    framesReceived: 0,
    elapsedMs,
    frame: protocol.receive,
    binary: protocol.receiveBinary,
    closed(connection, code) {
      closes.add(KNOWN_CODES.has(code) ? String(code) : 'other')
      closed(connection, !LEAVING_CODES.has(code))
    },
  }
  const rechecks = createRechecks({ ...deps, refreshFeatures: features.refreshFeatures })

  server.on('upgrade', upgrade)
  timers.every(SECOND_MS, watch)
  // Messages that are lost are found in the list of revocations.
  bus.subscribe(DISCONNECT, (message) => rechecks.disconnectHere(JSON.parse(message) as Disconnection))

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const requestId = requestIds()
    const refuse = (error: ApiError) => refuseUpgrade(socket, error, requestId)
    if (deps.onHostUpgrade(request, socket, head, requestId, refuse)) return
    if (request.url?.split('?')[0] !== REALTIME_PATH) return refuse(new ApiError('not_found'))
    if (isStopping) return refuse(new ApiError('server_restarting'))
    if (logins.isFull) return refuse(new ApiError('service_unavailable'))
    // Read first: the WebSocket takes the connection over from this socket.
    const clientAddress = deps.clientAddressOf(request)
    const link = acceptWebSocket(request, socket, head, { ...SOCKET_LIMITS, requestIds: () => requestId })
    if (!link) return
    const connection = new Connection(link, {
      ref: connections.newRef(),
      origin: request.headers.origin,
      clientAddress,
      nowMs: elapsedMs(),
      isLimited: deps.isLimited,
      sent: connections.sent,
      input,
    })
    connections.add(connection)
    // A function made here would keep the socket of the upgrade in memory, which `refuse` refers to.
    link.on = connection
  }

  function closed(connection: Connection, wasLost: boolean) {
    logins.leave(connection)
    connections.remove(connection)
    deps.connectionClosed(connection, wasLost)
    const environmentId = connection.identity?.environment.id
    if (environmentId && connections.countOf(environmentId) === 0) features.forget(environmentId)
  }

  async function acceptConnection(connection: Connection, fields: Parameters<Authenticate>[0]) {
    const changesBefore = rechecks.changes
    const pushesBefore = features.changes
    const identity = await authenticate(fields, connection.origin, features.refreshFeatures)
    const { player, displayName } = identity
    await frames.prepare()
    // The connection may close during these lookups: it must then not replace another one, nor stay registered.
    const isStillConnected = () => connection.link.isOpen && connections.find(connection.ref) === connection
    if (player && isStillConnected()) await deps.replaceConnection(player, connection.ref, isStillConnected)
    const room = player ? await deps.resumableRoom(player) : null
    if (!isStillConnected()) return
    connections.identified(connection, identity)
    // During the lookups the last connection of this environment may have closed, which drops its features, or a config was pushed.
    const { id } = identity.environment
    if (!features.isKnown(id) || features.changes !== pushesBefore) await features.refreshFeatures(id)
    if (rechecks.changes !== changesBefore) await deps.requireStillAllowed(identity.key, player)
    if (player) {
      connection.rate.setRate(PLAYER_RATE)
      deps.playerConnected(connection, player)
    }
    connection.sendEvent({
      t: 'welcome',
      connectionId: connection.ref,
      playerId: player?.id ?? null,
      displayName,
      serverTime: millisecondsOf(clock),
      room,
      limits: {
        messagesPerSecond: player ? LIMITS.framesPerSecondMax : LIMITS.anonymousFramesPerSecondMax,
        maxFrameBytes: LIMITS.frameBytesMax,
      },
    })
  }

  async function isSamePlayer(identity: Connection['identity'], fields: Parameters<Authenticate>[0]) {
    const again = await authenticate(fields, undefined, features.refreshFeatures)
    return (
      again.environment.id === identity?.environment.id &&
      again.player?.id === (identity.player?.id ?? undefined)
    )
  }

  /** Runs every second: closes unauthenticated and idle connections. */
  function watch() {
    const now = elapsedMs()
    runEach(connections.all(), (connection) => {
      if (!connection.identity) watchLogin(connection, now)
      else if (connection.isInRoom) watchSeat(connection)
      else if (now - connection.lastReceivedAtMs >= LIMITS.idleTimeoutMs)
        connection.close(CLOSE_CODES.idle, 'idle')
      else if (now - connection.pingedAtMs >= LIMITS.pingEveryMs) {
        connection.pingedAtMs = now
        connection.link.ping()
      }
    })
  }

  /** WSK-22: only a client that has sent no auth frame is refused. What arrived while this process was busy is read first. */
  function watchLogin(connection: Connection, nowMs: number) {
    const ageMs = nowMs - connection.openedAtMs
    if (ageMs >= LOGIN_TIMEOUT_MS) connection.close(CLOSE_CODES.restarting, 'service_unavailable')
    else if (ageMs >= LIMITS.authFrameTimeoutMs)
      afterNextRead(() => {
        if (connection.identity || connection.isAuthenticating) return
        connection.close(CLOSE_CODES.unauthorized, 'unauthorized')
      })
  }

  /** Other players wait for a player who is lost. Looks are counted, so that a clock that is set ends no game. */
  function watchSeat(connection: Connection) {
    const silentMs = ++connection.silentLooks * SECOND_MS
    if (silentMs >= LIMITS.seatSilenceMs) connection.close(CLOSE_CODES.idle, 'idle')
    else if (silentMs % LIMITS.seatPingEveryMs === 0) connection.link.ping()
  }

  function switchedOff(environmentId: string, feature: FeatureName) {
    const affected = connections.ofEnvironment(environmentId)
    deps.featureSwitchedOff(environmentId, feature, affected)
    if (isOn('multiplayer') || isOn('realtimeChannels')) return
    affected.forEach((connection) => connection.close(CLOSE_CODES.forbidden, 'feature_disabled'))

    function isOn(name: FeatureName): boolean {
      try {
        features.require(environmentId, name)
        return true
      } catch {
        return false
      }
    }
  }

  return {
    on: frames.on,
    metrics: [
      single('svc_realtime_connections', () => connections.size),
      single('svc_realtime_frames_total', () => input.framesReceived),
      single('svc_realtime_deliveries_total', () => connections.sent.frames),
      closes,
    ] satisfies Metric[],

    /** Closes a player's connections on every node: all, those of one session, or those of all other sessions. */
    disconnect: (disconnection: Disconnection) => bus.publish(DISCONNECT, JSON.stringify(disconnection)),

    recheckPlayer: rechecks.recheckPlayer,
    recheckKeys: rechecks.recheckKeys,
    /** Call after the cached config was dropped. */
    configChanged: features.changed,

    /** Tells all clients to reconnect, to another node or to this one after its restart (WSK-14). */
    async closeConnections() {
      isStopping = true
      const open = [...connections.all()]
      for (const connection of open) {
        connection.warn(new ApiError('server_restarting'))
        connection.close(CLOSE_CODES.restarting, 'server_restarting')
      }
      const deadline = performance.now() + CLOSE_GRACE_MS
      while (connections.size > 0 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20))
      for (const connection of connections.all()) connection.link.destroy()
    },
  }
}

/** Node reads every socket that has received something between the first two of these; its frames are handled before the third. */
const afterNextRead = (work: () => void) => setImmediate(() => setImmediate(() => setImmediate(work)))
