import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../../../platform/api-error.ts'
import { monotonicMs } from '../../../platform/clock.ts'
import type { Environment } from '../../../platform/environment.ts'
import { setBounded } from '../../../platform/memory/bounded-map.ts'
import type { Cluster } from '../../../platform/ports/cluster.ts'
import type { FunctionsEngine, FunctionsSpec, Running } from '../../../platform/ports/functions-engine.ts'
import type { State, States } from '../states.ts'
import { type Nodes, NodeUnreachableError } from './nodes.ts'
import { type ArgumentsOf, isOwnerCall, OWNER_CALLS, type OwnerCall, type ResultOf } from './owner-calls.ts'

type OwnersDeps = {
  states: States
  nodes: Nodes
  cluster: Pick<Cluster, 'claim' | 'release' | 'isLive' | 'shared' | 'nodes'>
  engine: FunctionsEngine
  /** Whether this service can run functions. */
  isAvailable(): Promise<boolean>
  /** Throws `feature_unavailable` where it cannot. */
  requireAvailable(): Promise<void>
  environmentOf(environmentId: string): Promise<Environment | undefined>
  specOf(environment: Environment, state: State): Promise<FunctionsSpec>
  /** A host at which the gateway of every node answers for this environment. */
  hostOf(environment: Environment): string
  /** Reads and reports the usage, before a process ends. */
  meter(environmentId: string, running: Running): Promise<void>
}

/** The functions of an environment, on the node that owns them. */
type LocalEnvironment = {
  environment: Environment
  running: Running
  dataId: string
  /** The generation of the state that the process was started with. */
  generation: number
  fence: number
  applying: Promise<void> | undefined
}
/** Where the functions of an environment run: on this node, or on another one. */
export type Location = LocalEnvironment | { environment: Environment; nodeId: string }

export type Owners = ReturnType<typeof createOwners>

/** The name of the call that brings the owner to the current state. */
const APPLY = 'apply'
const DRAIN_MS = 5_000
const OWNER_KNOWN_MS = 5_000
const OWNER_WAIT_MS = 10_000
const RETRY_MS = 250
const REMOTE_OWNERS_MAX = 10_000

/**
 * Which node runs the functions of which environment: the one that has claimed it. A claim lasts as long as the node's heartbeat; the
 * engine's lock on the folder of the data makes sure that no second process uses it even if a node was frozen.
 */
export function createOwners(deps: OwnersDeps) {
  const { states, nodes, cluster, engine } = deps
  const locations = new Map<string, Promise<Location>>()
  /** Those of `locations` that are on this node. */
  const localEnvironments = new Set<LocalEnvironment>()
  /** The last known owners among the other nodes. */
  const remoteOwners = new Map<string, { nodeId: string; untilMs: number }>()
  let isStopping = false

  const claimName = (environmentId: string) => `functions:${environmentId}`
  const isLocal = (location: Location): location is LocalEnvironment => 'running' in location

  async function claim(environmentId: string): Promise<Location> {
    await deps.requireAvailable()
    const environment = await deps.environmentOf(environmentId)
    if (!environment || isStopping) throw new ApiError(environment ? 'functions_unavailable' : 'not_found')
    const claimed = await cluster.claim(claimName(environmentId), 'any')
    if (claimed.owner === 'other') {
      const known = { nodeId: claimed.nodeId, untilMs: monotonicMs() + OWNER_KNOWN_MS }
      setBounded(remoteOwners, environmentId, known, REMOTE_OWNERS_MAX)
      return { environment, nodeId: claimed.nodeId }
    }
    if (claimed.owner === 'nobody') throw new ApiError('functions_unavailable')
    const { fence } = claimed
    try {
      const state = await states.read(environmentId)
      if (!state) throw new ApiError('not_found')
      const running = await engine.start(await deps.specOf(environment, state))
      const { dataId, generation } = state
      const location = { environment, running, dataId, generation, fence, applying: undefined }
      localEnvironments.add(location)
      return location
    } catch (error) {
      await cluster.release(claimName(environmentId), fence, { keepSnapshot: false })
      throw error
    }
  }

  /** Where the environment runs; claims it for this node if no other has it. */
  async function locate(environmentId: string): Promise<Location> {
    const known = locations.get(environmentId)
    if (known) {
      const location = await known
      if (isLocal(location) && cluster.isLive(location.fence)) return location
      if (isLocal(location)) abandon(location)
      if (locations.get(environmentId) === known) locations.delete(environmentId)
    }
    const other = remoteOwners.get(environmentId)
    if (other && other.untilMs > monotonicMs() && cluster.nodes().includes(other.nodeId)) {
      const environment = await deps.environmentOf(environmentId)
      if (!environment) throw new ApiError('not_found')
      return { environment, nodeId: other.nodeId }
    }
    const again = locations.get(environmentId)
    if (again) return again
    const claiming = claim(environmentId)
    locations.set(environmentId, claiming)
    const drop = () => void (locations.get(environmentId) === claiming && locations.delete(environmentId))
    claiming.then((location) => isLocal(location) || drop(), drop)
    return claiming
  }

  /** The heartbeat has lapsed since the claim: another node may be the owner. */
  function abandon(location: LocalEnvironment) {
    localEnvironments.delete(location)
    location.running.abandon()
  }

  /** Brings a process to the current state; several changes at the same time are applied together. */
  async function settle(location: LocalEnvironment): Promise<void> {
    for (;;) {
      const state = await states.read(location.environment.id)
      if (!state) return release(location)
      if (state.generation === location.generation && state.dataId === location.dataId) return
      location.applying ??= apply(location, state).finally(() => (location.applying = undefined))
      await location.applying
    }
  }

  async function apply(location: LocalEnvironment, state: State) {
    const spec = await deps.specOf(location.environment, state)
    if (state.dataId === location.dataId) await location.running.replace(spec, DRAIN_MS)
    else {
      await location.running.stop(0)
      location.running = await engine.start(spec)
      if (!localEnvironments.has(location)) location.running.abandon()
    }
    location.dataId = state.dataId
    location.generation = state.generation
  }

  async function release(location: LocalEnvironment) {
    const { id } = location.environment
    await deps.meter(id, location.running).catch(() => {})
    await location.running.stop(isStopping ? DRAIN_MS : 0)
    localEnvironments.delete(location)
    locations.delete(id)
    await cluster.release(claimName(id), location.fence, { keepSnapshot: false })
  }

  /** Tries again while the owner cannot be reached: when its heartbeat has lapsed, this node claims what it owned. */
  async function withOwner<T>(environmentId: string, use: (location: Location) => Promise<T>): Promise<T> {
    const giveUpAt = monotonicMs() + OWNER_WAIT_MS
    for (;;) {
      try {
        return await use(await locate(environmentId))
      } catch (error) {
        if (!(error instanceof NodeUnreachableError)) throw error
        remoteOwners.delete(environmentId)
        if (monotonicMs() > giveUpAt) throw new ApiError('functions_unavailable', undefined, { cause: error })
        await pause(RETRY_MS)
      }
    }
  }

  return {
    isLocal,
    isStopping: () => isStopping,
    locate,
    withOwner,
    settle,

    /** For what another node has passed on. Undefined: this node is not the owner, or stops being it. */
    async locateLocal(environmentId: string): Promise<LocalEnvironment | undefined> {
      if (isStopping) return undefined
      const location = await locate(environmentId)
      return isLocal(location) ? location : undefined
    },

    /** A call of the owner, whichever node that is. */
    call: <Name extends OwnerCall>(environmentId: string, name: Name, args: ArgumentsOf<Name>) =>
      withOwner(environmentId, async (location) => {
        const result = isLocal(location)
          ? await OWNER_CALLS[name](location.running, args as never, engine)
          : await nodes.call(location.nodeId, deps.hostOf(location.environment), name, args)
        return result as ResultOf<Name>
      }),

    /** A call that another node has sent. */
    async answer(location: LocalEnvironment, name: string, args: unknown): Promise<unknown> {
      if (name === APPLY) return settle(location)
      if (!isOwnerCall(name)) throw new ApiError('not_found')
      return OWNER_CALLS[name](location.running, args as never, engine)
    },

    /** After a change of the state: the owner continues with it. If no node owns the environment, there is nothing to do. */
    async apply(environmentId: string): Promise<void> {
      await states.announce(environmentId)
      if (!(cluster.shared || locations.has(environmentId)) || !(await deps.isAvailable())) return
      await withOwner(environmentId, async (location) => {
        if (isLocal(location)) await settle(location)
        else await nodes.call(location.nodeId, deps.hostOf(location.environment), APPLY, {})
      })
    },

    /** On this node, when the bus or a revocation reports that the state has changed. */
    async changed(environmentId: string): Promise<void> {
      states.drop(environmentId)
      const location = await locations.get(environmentId)?.catch(() => undefined)
      if (location && isLocal(location)) await settle(location)
    },

    /** The environments of this node. */
    all: (): LocalEnvironment[] => [...localEnvironments],

    /** Once a second, and when a lapsed heartbeat is back: ends the processes that another node may start. */
    watchHeartbeat() {
      for (const location of localEnvironments) {
        if (cluster.isLive(location.fence)) continue
        locations.delete(location.environment.id)
        abandon(location)
      }
    },

    async stop() {
      isStopping = true
      await Promise.allSettled(locations.values())
      await Promise.all([...localEnvironments].map(release))
    },
  }
}
