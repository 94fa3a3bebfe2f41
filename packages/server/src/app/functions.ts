import type { IncomingMessage, ServerResponse } from 'node:http'

import { LIMITS } from '@svc/contract/common/limits'

import {
  createBindingCalls,
  createChanges,
  createCrons,
  createDatabases,
  createDeployments,
  createFunctions,
  createFunctionSecrets,
  createFunctionSeries,
  createFunctionsStore,
  createGateway,
  createLogs,
  createNodes,
  createOwnCalls,
  createOwners,
  createRoomCode,
  createRoomLogs,
  createSpecs,
  createStates,
  createSuspensions,
  createSweeps,
  createUsage,
  createWaking,
  functionsRoutes,
  modesWithoutClass,
  STOPPING_TOPIC,
  TOPIC,
} from '../capabilities/functions/index.ts'
import { createProjectStore } from '../capabilities/projects/index.ts'
import { loadContentTypes } from '../edge/http/files/content-types.ts'
import { ApiError } from '../platform/api-error.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/clock.ts'
import { type Environment, hostLabel } from '../platform/environment.ts'
import { hourly, hourlyRemoval } from '../platform/jobs/jobs.ts'
import { runSequentially } from '../platform/jobs/run-sequentially.ts'
import { createCache } from '../platform/memory/cache.ts'
import { createRequestIds } from '../platform/random.ts'
import type { Developers } from './developers.ts'
import type { Edge } from './edge.ts'
import { ENVIRONMENT_REMOVED, type Foundation, type Mounts } from './foundation.ts'
import { functionsLevel } from './functions-level.ts'
import type { Money } from './money.ts'
import type { Players } from './players.ts'

type FunctionModuleDeps = {
  developers: Developers
  players: Pick<Players, 'players'>
  edge: Pick<Edge, 'http' | 'lookups'>
  money: Pick<Money, 'requirePrepaid' | 'noteUsage' | 'isOverdue' | 'onSuspension'>
}

const HOST_SUFFIX = '--fn'

/** Server functions: the admin endpoints, the gateway at their URLs, and the node that runs each environment. */
export function buildFunctions(foundation: Foundation, deps: FunctionModuleDeps) {
  const { tools, db, blobs, bus, cluster, clock, ids, random, background, log } = foundation
  const { functions: engine, settings, persistentKey, configOf } = foundation
  const { developers } = deps
  const money = {
    requireCredit: (projectId: string) => deps.money.requirePrepaid({ projectId }),
    noteUsage: deps.money.noteUsage,
  }
  const { protocol, port } = new URL(settings.baseUrl)
  const report = (failure: object) => log.warn(failure, 'functions failed')

  const hostOf = (environment: Environment) =>
    `${hostLabel(environment)}${HOST_SUFFIX}.${settings.appsDomain}${port ? `:${port}` : ''}`
  const urlOf = (environment: Environment) => `${protocol}//${hostOf(environment)}`

  const level = () => functionsLevel(foundation)
  const isAvailable = async () => (await level()).level !== 'none'
  async function requireAvailable() {
    if (!(await isAvailable())) throw new ApiError('feature_unavailable', { feature: 'functions' })
  }

  const environments = createCache({
    read: developers.projects.findEnvironment,
    ttlMs: MINUTE_MS,
    entriesMax: 10_000,
  })
  const environmentOf = async (environmentId: string) => environments.get(environmentId)
  /** A revoked key is replaced within a second. */
  const keysOf = (keys: Pick<Developers['functionKeys'], 'of'>) =>
    createCache({
      async read(id: string) {
        const environment = await environmentOf(id)
        return environment && keys.of(environment)
      },
      ttlMs: SECOND_MS,
      entriesMax: 10_000,
    })
  const serverKeys = keysOf(developers.functionKeys)
  /** With the access token of a player, the code calls as that player. */
  const playerKeys = keysOf(developers.appKeys)

  async function callService({ id }: Environment, request: IncomingMessage, response: ServerResponse) {
    const isPlayer = /^bearer /i.test(request.headers.authorization ?? '')
    const key = await (isPlayer ? playerKeys : serverKeys).get(id)
    if (key === undefined) throw new ApiError('functions_unavailable')
    for (const name of Object.keys(request.headers))
      if (/^(?:x-forwarded-|forwarded$|origin$|cookie$)/.test(name)) delete request.headers[name]
    request.headers['x-svc-key'] = key
    // A unix socket has no address, and limits per address must not be shared by all environments.
    Object.defineProperty(request.socket, 'remoteAddress', { value: `functions:${id}`, configurable: true })
    // The request goes to the API, never to an app, whichever host the code has set.
    request.headers.host = new URL(settings.baseUrl).host
    deps.edge.http.routing(request, response)
  }

  const store = createFunctionsStore(db)
  const states = createStates(store, bus)
  const nodes = createNodes({
    ...tools,
    cluster,
    nodeUrl: settings.functions.nodeUrl,
    key: () => persistentKey('functions:nodes'),
  })
  const specs = createSpecs(store, {
    ...tools,
    blobs,
    isLocal: settings.isLocal,
    ownerOf: createProjectStore(db).ownerOf,
    callService: (environment, request, response) =>
      void callService(environment, request, response).catch((error: unknown) => {
        report({ environmentId: environment.id, err: error })
        response.destroy()
      }),
  })
  const usage = createUsage(store, { ...tools, money, engine })
  const owners = createOwners({
    states,
    nodes,
    cluster,
    engine,
    isAvailable,
    requireAvailable,
    environmentOf,
    specOf: specs.current,
    hostOf,
    meter: usage.meter,
  })
  const change = createChanges(store, { ...tools, owners })
  const sweeps = createSweeps(store, { ...tools, blobs, engine })
  const functions = createFunctions(store, {
    ...tools,
    states,
    change,
    sweeps,
    money,
    requireAvailable,
    createKey: developers.functionKeys.of,
    urlOf,
    nodes: cluster.nodes,
  })
  const roomModesOf = async (environmentId: string) =>
    (await configOf(environmentId)).multiplayer.modes.flatMap(({ key, room }) =>
      room ? [{ mode: key, className: room.class }] : [],
    )
  foundation.events.on('features.checking', async ({ id }, problems) => {
    const modes = await roomModesOf(id)
    if (modes.length === 0) return
    const found = modesWithoutClass(modes, (await states.get(id))?.live?.manifest.rooms)
    if (found.length > 0) problems.set('multiplayer', found)
  })
  const parts = {
    functions,
    deployments: createDeployments(store, {
      ...tools,
      change,
      specs,
      sweeps,
      engine,
      blobs,
      contentTypes: loadContentTypes,
      requireAvailable,
      urlOf,
      roomModesOf,
    }),
    secrets: createFunctionSecrets(store, { ...tools, change }),
    databases: createDatabases({ states, owners, change }),
    crons: createCrons(store, { ...tools, states, owners, nodeId: cluster.nodeId, report }),
    logs: createLogs(store, owners),
    series: createFunctionSeries(store, clock),
  }
  const gateway = createGateway({
    states,
    owners,
    nodes,
    protocol,
    verifyPlayer: deps.edge.lookups.verifyPlayer,
    requireMayWrite: deps.players.players.requireMayWrite,
    hostOf,
    report,
  })
  const suspensions = createSuspensions(store, {
    ...tools,
    change,
    findProject: developers.projects.idOf,
    projectsOf: developers.projectsOf,
    isOverdue: (projectId) => deps.money.isOverdue({ projectId }),
  })
  deps.money.onSuspension((developerId, isOverdue) =>
    background.run(() => (isOverdue ? suspensions.suspend(developerId) : suspensions.resume(developerId))),
  )
  const wake = createWaking(store, { owners, engine })
  const roomLogs = cluster.shared ? createRoomLogs({ owners, background, report }) : undefined
  const roomCode = createRoomCode(store, {
    states,
    specs,
    engine,
    usage,
    logs: roomLogs,
    bindingCalls: createBindingCalls({ requestIds: createRequestIds(random), gateway, report }),
    background,
    isAvailable,
    requireAvailable,
    environmentOf,
  })

  const changed = (environmentId: string) => {
    parts.crons.changed()
    background.run(() => owners.changed(environmentId))
    background.run(() => roomCode.changed(environmentId))
  }
  bus.subscribe(TOPIC, changed)
  bus.onGap(() => background.run(roomCode.changedAny))
  bus.subscribe(STOPPING_TOPIC, nodes.noteStopping)
  bus.subscribe(ENVIRONMENT_REMOVED, (environmentId) => {
    environments.drop(environmentId)
    changed(environmentId)
  })

  foundation.events.on('environment.removing', functions.removeEnvironment)
  /** Removes folders and code of a deleted project. */
  foundation.events.on('environment.purged', async (environmentId) => {
    environments.drop(environmentId)
    await owners.changed(environmentId)
    await roomCode.changed(environmentId)
    await sweeps.removeEnvironment(environmentId)
  })
  /** Notes what running functions have used until now. */
  foundation.events.on('usage.charging', () =>
    runSequentially([
      ...owners.all().map(
        ({ environment, running }) =>
          () =>
            usage.meter(environment.id, running),
      ),
      roomCode.meterAll,
    ]),
  )

  cluster.onReconnected(() => {
    owners.watchHeartbeat()
    background.run(nodes.publish)
  })

  /** `/.fn/path` of the hosted app is `/path` of the functions. */
  const withoutPrefix = (url: string) => url.slice(url.indexOf('/', 1))
  const bodyBytesMax = LIMITS.functionsRequestBytesMax

  return {
    ...functions,
    suspendProject: suspensions.byOperator,
    /** Posts to the functions of an environment, inside the service. */
    post: createOwnCalls({ ids, send: gateway.send }),
    level,
    roomCode,

    mount({ route, host }: Mounts) {
      functionsRoutes(route, parts)
      host(
        { hostSuffix: HOST_SUFFIX },
        { respond: gateway.respond, upgrade: gateway.upgrade, bodyBytesMax, isFromNode: gateway.isFromNode },
      )
      host(
        { path: '.fn/' },
        {
          respond: (request) => gateway.respond(request, withoutPrefix(request.url)),
          upgrade: (request, socket, head) =>
            gateway.upgrade(request, socket, head, withoutPrefix(request.url)),
          bodyBytesMax,
        },
      )
    },

    async everySecond() {
      owners.watchHeartbeat()
      await parts.crons.everySecond()
    },
    async everyMinute() {
      await runSequentially([
        nodes.publish,
        ...owners
          .all()
          .flatMap((location) => [
            () => owners.settle(location),
            () => usage.meter(location.environment.id, location.running),
            () => usage.measure(location.environment.id, location.dataId),
          ]),
        roomCode.meterAll,
        roomCode.changedAny,
        async () => void (owners.isStopping() || (await wake())),
      ])
    },
    jobs: [
      { name: 'functions.storage', everyMs: HOUR_MS, run: usage.chargeStorage },
      hourly('functions.hourly', suspensions.resumePaid, suspensions.suspendOverdue),
      hourlyRemoval('functions.purge', sweeps.sweep, parts.series.purgeOld),
    ],

    start: nodes.publish,
    /** Before connections are closed. */
    async announceStop() {
      if (cluster.shared) await bus.publish(STOPPING_TOPIC, cluster.nodeId)
    },
    async stop() {
      await roomLogs?.flush()
      await owners.stop()
    },
  }
}
