import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../../platform/api-error.ts'
import { setBounded } from '../../platform/bounded-map.ts'
import { monotonicMs } from '../../platform/clock.ts'
import type { Cluster } from '../../platform/cluster.ts'
import type { Environment } from '../../platform/environment.ts'
import type { FunctionsEngine, FunctionsSpec, Running } from '../../platform/functions-engine.ts'
import { type Nodes, NodeUnreachableError } from './nodes.ts'
import type { State, States } from './states.ts'

export type OwnedDeps = {
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
type Here = {
  environment: Environment
  running: Running
  dataId: string
  /** Of the state that the process was started with. */
  generation: number
  fence: number
  applying: Promise<void> | undefined
}
type Place = Here | { environment: Environment; nodeId: string }

/** What the owner does for other nodes. */
type Work<T> = {
  name: string
  args: unknown
  /** On the owner. */
  run(running: Running): Promise<T>
}

export type Owned = ReturnType<typeof createOwned>

const DRAIN_MS = 5_000
const OWNER_KNOWN_MS = 5_000
const OWNER_WAIT_MS = 10_000
const RETRY_MS = 250
const ELSEWHERE_MAX = 10_000

/**
 * Which node runs the functions of which environment: the one that has claimed it. A claim lasts as long as the node's heartbeat; the
 * engine's lock on the folder of the data makes sure that no second process uses it even if a node was frozen.
 */
export function createOwned(deps: OwnedDeps) {
  const { states, nodes, cluster, engine } = deps
  const here = new Map<string, Promise<Place>>()
  /** Those of `here` that run on this node. */
  const places = new Set<Here>()
  const elsewhere = new Map<string, { nodeId: string; untilMs: number }>()
  let isStopping = false

  const claimName = (environmentId: string) => `functions:${environmentId}`
  const isHere = (place: Place): place is Here => 'running' in place

  async function claim(environmentId: string): Promise<Place> {
    await deps.requireAvailable()
    const environment = await deps.environmentOf(environmentId)
    if (!environment || isStopping) throw new ApiError(environment ? 'functions_unavailable' : 'not_found')
    const claimed = await cluster.claim(claimName(environmentId), 'any')
    if (claimed.owner === 'other') {
      const known = { nodeId: claimed.nodeId, untilMs: monotonicMs() + OWNER_KNOWN_MS }
      setBounded(elsewhere, environmentId, known, ELSEWHERE_MAX)
      return { environment, nodeId: claimed.nodeId }
    }
    if (claimed.owner === 'nobody') throw new ApiError('functions_unavailable')
    const { fence } = claimed
    try {
      const state = await states.read(environmentId)
      if (!state) throw new ApiError('not_found')
      const running = await engine.start(await deps.specOf(environment, state))
      const { dataId, generation } = state
      const place = { environment, running, dataId, generation, fence, applying: undefined }
      places.add(place)
      return place
    } catch (error) {
      await cluster.release(claimName(environmentId), fence, { keepSnapshot: false })
      throw error
    }
  }

  /** Where the environment runs; claims it for this node if no other has it. */
  async function locate(environmentId: string): Promise<Place> {
    const known = here.get(environmentId)
    if (known) {
      const place = await known
      if (isHere(place) && cluster.isLive(place.fence)) return place
      if (isHere(place)) abandon(place)
      if (here.get(environmentId) === known) here.delete(environmentId)
    }
    const other = elsewhere.get(environmentId)
    if (other && other.untilMs > monotonicMs() && cluster.nodes().includes(other.nodeId)) {
      const environment = await deps.environmentOf(environmentId)
      if (!environment) throw new ApiError('not_found')
      return { environment, nodeId: other.nodeId }
    }
    const again = here.get(environmentId)
    if (again) return again
    const claiming = claim(environmentId)
    here.set(environmentId, claiming)
    const drop = () => void (here.get(environmentId) === claiming && here.delete(environmentId))
    claiming.then((place) => isHere(place) || drop(), drop)
    return claiming
  }

  /** The heartbeat has lapsed since the claim: another node may be the owner. */
  function abandon(place: Here) {
    places.delete(place)
    place.running.abandon()
  }

  /** Brings a process to the current state; several changes at the same time are applied together. */
  async function settle(place: Here): Promise<void> {
    for (;;) {
      const state = await states.read(place.environment.id)
      if (!state) return release(place)
      if (state.generation === place.generation && state.dataId === place.dataId) return
      place.applying ??= apply(place, state).finally(() => (place.applying = undefined))
      await place.applying
    }
  }

  async function apply(place: Here, state: State) {
    const spec = await deps.specOf(place.environment, state)
    if (state.dataId === place.dataId) await place.running.replace(spec, DRAIN_MS)
    else {
      await place.running.stop(0)
      place.running = await engine.start(spec)
      if (!places.has(place)) place.running.abandon()
    }
    place.dataId = state.dataId
    place.generation = state.generation
  }

  async function release(place: Here) {
    const { id } = place.environment
    await deps.meter(id, place.running).catch(() => {})
    await place.running.stop(isStopping ? DRAIN_MS : 0)
    places.delete(place)
    here.delete(id)
    await cluster.release(claimName(id), place.fence, { keepSnapshot: false })
  }

  /** Tries again while the owner cannot be reached: when its heartbeat has lapsed, this node claims what it owned. */
  async function withOwner<T>(environmentId: string, use: (place: Place) => Promise<T>): Promise<T> {
    const giveUpAt = monotonicMs() + OWNER_WAIT_MS
    for (;;) {
      try {
        return await use(await locate(environmentId))
      } catch (error) {
        if (!(error instanceof NodeUnreachableError)) throw error
        elsewhere.delete(environmentId)
        if (monotonicMs() > giveUpAt) throw new ApiError('functions_unavailable', undefined, { cause: error })
        await pause(RETRY_MS)
      }
    }
  }

  return {
    isHere,
    isStopping: () => isStopping,
    locate,
    withOwner,
    settle,

    /** For what another node has passed on. Undefined: this node is not the owner, or stops being it. */
    async locateHere(environmentId: string): Promise<Here | undefined> {
      if (isStopping) return undefined
      const place = await locate(environmentId)
      return isHere(place) ? place : undefined
    },

    /** Runs on the owner, wherever that is. */
    run: <T>(environmentId: string, { name, args, run }: Work<T>): Promise<T> =>
      withOwner(environmentId, async (place) => {
        if (isHere(place)) return run(place.running)
        return (await nodes.call(place.nodeId, deps.hostOf(place.environment), name, args)) as T
      }),

    /** After a change of the state: the owner continues with it. If no node owns the environment, there is nothing to do. */
    async apply(environmentId: string): Promise<void> {
      await states.announce(environmentId)
      if (!(cluster.shared || here.has(environmentId)) || !(await deps.isAvailable())) return
      await withOwner(environmentId, async (place) => {
        if (isHere(place)) await settle(place)
        else await nodes.call(place.nodeId, deps.hostOf(place.environment), 'apply', {})
      })
    },

    /** On this node, when the bus or a revocation says that the state has changed. */
    async changed(environmentId: string): Promise<void> {
      states.drop(environmentId)
      const place = await here.get(environmentId)?.catch(() => undefined)
      if (place && isHere(place)) await settle(place)
    },

    /** The environments that run here. */
    all: (): Here[] => [...places],

    /** Once a second, and when a lapsed heartbeat is back: ends the processes that another node may start. */
    watchHeartbeat() {
      for (const place of places) {
        if (cluster.isLive(place.fence)) continue
        here.delete(place.environment.id)
        abandon(place)
      }
    },

    async stop() {
      isStopping = true
      await Promise.allSettled(here.values())
      await Promise.all([...places].map(release))
    },
  }
}
