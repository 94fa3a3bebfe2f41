import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../api-error.ts'
import { monotonicMs } from '../clock.ts'
import type { Awaitable } from '../memory/awaitable.ts'
import { setBounded } from '../memory/bounded-map.ts'
import { withoutVersion, withVersion } from '../node-protocol.ts'
import type { Claim, Cluster } from '../ports/cluster.ts'
import type { Timers } from '../time/timers.ts'
import {
  type Actor,
  type ActorContext,
  type ActorKind,
  ActorMovedError,
  type ActorName,
  idOf,
  type MessageOf,
  nodeOf,
  type Protocol,
} from './actor.ts'
import { type AnyHandlers, LocalActor } from './local-actor.ts'
import { type LocalConnection, type LocalConnections, Members } from './members.ts'
import { createMemberships } from './memberships.ts'
import type { RejoinReason } from './node-messages.ts'
import type { Nodes } from './nodes.ts'

/** `report` gets errors for which no caller waits, such as a snapshot that could not be saved. */
export type ActorsDeps<Connection extends LocalConnection> = {
  cluster: Cluster
  nodes: Nodes
  connections: LocalConnections<Connection>
  timers: Timers
  report(error: unknown): void
}

/** What happens to a member when the owner of its actor has changed or may have lost messages. */
type Rejoining<Connection, Name> = {
  /** Joins at the current owner. Throws if the membership is lost; called again while nodes cannot reach each other. */
  rejoin(connection: Connection, name: Name): Promise<void>
  /** Notifies the client that its membership is lost. */
  membershipLost(connection: Connection, name: Name): Promise<void>
}

/** An actor kind without its types, because its messages and snapshots were sent as JSON. */
type AnyKind<Connection> = Rejoining<Connection, string> & {
  open(context: ActorContext, snapshot: unknown): Awaitable<Actor<unknown>>
  handlers: AnyHandlers
  answerTimeoutsMs: Partial<Record<string, number>>
}

type ClaimMode = 'existing' | 'any'
type AnyMessage = { type: string }

/**
 * Synchronous if the actor is on this node and idle. If there is no such actor, `any` opens it, and `existing` returns undefined.
 */
type Ask = {
  <P extends Protocol, Type extends keyof P & string>(
    name: ActorName<P>,
    message: MessageOf<P, Type>,
    claimMode: 'any',
  ): Awaitable<P[Type]['answer']>
  <P extends Protocol, Type extends keyof P & string>(
    name: ActorName<P>,
    message: MessageOf<P, Type>,
    claimMode?: ClaimMode,
  ): Awaitable<P[Type]['answer'] | undefined>
}

/** The actors of all nodes, as one node reaches them. */
export type Actors<Connection extends LocalConnection = LocalConnection> = ReturnType<
  typeof createActors<Connection>
>

const SNAPSHOT_INTERVAL_MS = 1_000
const OWNER_CACHE_MAX = 100_000
const TRIES_MAX = 4
const RECLAIM_BATCH = 100
/** Shorter than the 30 s for which a room keeps the seat of a lost connection. */
const REJOIN_WITHIN_MS = 20_000
const REJOIN_RETRY_MS = 250
const PREPARE_RELEASE_MS = 2_000

/** Finds actors on any node, and opens those that no node has. One code path for one node and for many. */
export function createActors<Connection extends LocalConnection>(deps: ActorsDeps<Connection>) {
  const { cluster, nodes, connections, timers, report } = deps
  const kinds = new Map<string, AnyKind<Connection>>()
  const localActors = new Map<string, LocalActor>()
  const opening = new Map<string, Promise<LocalActor | undefined>>()
  /** When this node stops: the actors that it releases. */
  let releases: Map<string, Promise<void>> | undefined
  /**
   * The last known owner of actors on other nodes. It may be out of date: a node that does not own an actor rejects the request.
   */
  const owners = new Map<string, string>()
  /** Set while this node finds out which of its actors it still owns. */
  let reclaiming: Promise<unknown> | undefined

  const memberships = createMemberships({
    nodeId: cluster.nodeId,
    nodes,
    connections,
    memberDisconnected: (name, ref, wasLost) => localActors.get(name)?.memberDisconnected(ref, wasLost),
    rejoin,
  })
  cluster.onNodeLost(nodeLost)
  cluster.onReconnected(() => {
    reclaiming = reclaimAll()
      .catch(report)
      .finally(() => (reclaiming = undefined))
  })
  const snapshotTimer = cluster.shared
    ? setInterval(() => void saveSnapshots().catch(report), SNAPSHOT_INTERVAL_MS)
    : undefined

  function kindOf(name: string) {
    const found = kinds.get(idOf(name).kind)
    if (!found) throw new Error(`no kind of actor is defined for ${name}`)
    return found
  }

  // Asking

  function ask(name: string, message: AnyMessage, claimMode: ClaimMode = 'existing'): unknown {
    const localActor = localActors.get(name)
    if (localActor?.isOwned) {
      try {
        const answer = localActor.receive(message)
        if (!(answer instanceof Promise)) return answer
        return answer.catch((error: unknown) => askAgain(error, name, message, claimMode))
      } catch (error) {
        return askAgain(error, name, message, claimMode)
      }
    }
    return askOwner(name, message, claimMode)
  }

  function askAgain(error: unknown, name: string, message: AnyMessage, claimMode: ClaimMode) {
    if (error instanceof ActorMovedError) return askOwner(name, message, claimMode)
    throw error
  }

  async function askOwner(name: string, message: AnyMessage, claimMode: ClaimMode): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        const owner = owners.get(name)
        const timeoutMs = kindOf(name).answerTimeoutsMs[message.type]
        if (owner !== undefined) return await nodes.request(owner, { type: 'ask', name, message }, timeoutMs)
        const localActor = await open(name, claimMode)
        if (localActor) return await localActor.receive(message)
        if (!owners.has(name)) return undefined
      } catch (error) {
        if (!(error instanceof ActorMovedError) || tries >= TRIES_MAX) throw asRefusal(error)
        owners.delete(name)
      }
    }
  }

  const asRefusal = (error: unknown) =>
    error instanceof ActorMovedError ? new ApiError('service_unavailable') : error

  /** Returns our actor, or undefined; if another node owns it, `owners` is updated. */
  async function open(name: string, claimMode: ClaimMode): Promise<LocalActor | undefined> {
    for (;;) {
      const known = localActors.get(name)
      if (known) {
        if (known.isOwned) return known
        if (!reclaiming) throw new ApiError('service_unavailable')
        await reclaiming
        continue
      }
      const inFlight = opening.get(name)
      if (!inFlight) break
      const localActor = await inFlight
      if (localActor || owners.has(name) || claimMode === 'existing') return localActor
    }
    const work = claim(name, claimMode)
    opening.set(name, work)
    try {
      return await work
    } finally {
      opening.delete(name)
    }
  }

  async function claim(name: string, claimMode: ClaimMode): Promise<LocalActor | undefined> {
    const kind = kindOf(name)
    const claimed = await cluster.claim(name, claimMode)
    if (claimed.owner === 'nobody') return undefined
    if (claimed.owner === 'other') {
      cacheOwner(name, claimed.nodeId)
      return undefined
    }

    const localActor = createLocalActor(name, kind.handlers)
    localActor.fence = claimed.fence
    try {
      localActor.begin(await kind.open(localActor.context, parseSnapshot(claimed.snapshot)))
      // `reclaimAll` did not see this actor if the node was cut off and came back since the claim.
      localActor.context.assertStillOwner()
      localActors.set(name, localActor)
      return localActor
    } catch (error) {
      localActor.stop()
      // An actor that has moved is claimed again immediately.
      if (!(error instanceof ActorMovedError))
        await cluster.release(name, localActor.fence, { keepSnapshot: true })
      throw error
    }
  }

  /** A snapshot of a version that this node cannot read is ignored: the actor starts without one. */
  function parseSnapshot(text: string | undefined): unknown {
    const json = text === undefined ? undefined : withoutVersion(text)
    return json === undefined ? undefined : JSON.parse(json)
  }

  function cacheOwner(name: string, nodeId: string) {
    setBounded(owners, name, nodeId, OWNER_CACHE_MAX)
  }

  function createLocalActor(name: string, handlers: AnyHandlers): LocalActor {
    const messages = memberships.messagesOf(name)
    return new LocalActor({
      id: idOf(name),
      handlers,
      members: new Members(connections, messages),
      timers,
      isLive: cluster.isLive,
      sendText: (ref, text) => messages.say(nodeOf(ref), [ref], text),
      save: (localActor) => void (cluster.shared && saveIfOwned(localActor).catch(report)),
      report,
      ended(localActor) {
        localActors.delete(name)
        cluster.release(name, localActor.fence, { keepSnapshot: false }).catch(report)
      },
    })
  }

  nodes.on('ask', (from, { id, name, message }) =>
    nodes.reply(from, id, async () => {
      // What a node that stops accepted now would be lost.
      if (releases && !localActors.has(name)) {
        await releases.get(name)
        throw new ActorMovedError()
      }
      // The sender believes that we own it. If we do not, opening it finds out who does.
      const localActor = localActors.get(name) ?? (await open(name, 'existing'))
      if (!localActor?.isOwned) throw new ActorMovedError()
      return localActor.receive(message)
    }),
  )
  nodes.on('rejoin', (from, { names, reason }) => names.forEach((name) => relocate(name, from, reason)))

  // Changes of ownership

  function nodeLost(nodeId: string) {
    for (const [name, owner] of owners) if (owner === nodeId) owners.delete(name)
    for (const localActor of localActors.values())
      localActor.context.members.ofNode(nodeId).forEach((ref) => localActor.memberDisconnected(ref, true))
    memberships.rejoinWhere((_, owner) => owner === nodeId)
  }

  /** Members on this node join again, at the same owner or at another one. */
  function relocate(name: string, owner: string, reason: RejoinReason) {
    if (reason !== 'reclaimed' && owners.get(name) === owner) owners.delete(name)
    memberships.rejoinWhere((member, memberOwner) => member === name && memberOwner === owner)
  }

  /** While Redis or the owner is unreachable the membership may be unharmed, so it is tried again. */
  async function rejoin(connection: Connection, name: string): Promise<boolean> {
    const kind = kindOf(name)
    for (const deadline = monotonicMs() + REJOIN_WITHIN_MS; ;) {
      try {
        await kind.rejoin(connection, name)
        return true
      } catch (error) {
        const isUnavailable = error instanceof ApiError && error.code === 'service_unavailable'
        const isConnected = connections.find(connection.ref) !== undefined
        if (isUnavailable && isConnected && monotonicMs() < deadline) {
          await pause(REJOIN_RETRY_MS)
          continue
        }
        if (!(error instanceof ApiError)) report(error)
        await kind.membershipLost(connection, name).catch(report)
        return false
      }
    }
  }

  /** Keeps the actors that no other node has taken. All memberships across nodes start again, because messages were lost. */
  async function reclaimAll() {
    owners.clear()
    const mine = [...localActors.values()]
    while (mine.length > 0) await Promise.all(mine.splice(0, RECLAIM_BATCH).map(reclaim))
    memberships.rejoinWhere((_, owner) => owner !== cluster.nodeId)
  }

  async function reclaim(localActor: LocalActor) {
    const claimed = await retrying(() => cluster.claim(localActor.name, 'reclaim'))
    if (localActors.get(localActor.name) !== localActor) return
    if (claimed.owner !== 'us') return lose(localActor)
    localActor.fence = claimed.fence
    localActor.isDirty = true
    sendRejoin(localActor, 'reclaimed')
  }

  /** A claim that keeps failing is given up: the actor counts as lost and its members rejoin. */
  async function retrying(work: () => Promise<Claim>): Promise<Claim> {
    for (let tries = 1; tries < TRIES_MAX; tries++) {
      const claimed = await work().catch(() => undefined)
      if (claimed) return claimed
    }
    return work().catch(() => ({ owner: 'nobody' }))
  }

  function sendRejoin({ name, context }: LocalActor, reason: RejoinReason) {
    for (const nodeId of context.members.otherNodes())
      nodes.send(nodeId, { type: 'rejoin', names: [name], reason })
  }

  /** Ownership lost: stop sending immediately. */
  function lose(localActor: LocalActor) {
    localActor.stop()
    localActors.delete(localActor.name)
    relocate(localActor.name, cluster.nodeId, 'moved')
    sendRejoin(localActor, 'moved')
  }

  async function saveSnapshots() {
    for (const localActor of localActors.values()) if (localActor.isDirty) await saveIfOwned(localActor)
  }

  async function saveIfOwned(localActor: LocalActor) {
    if (!localActor.isOwned || localActor.isOver) return
    const { fence } = localActor
    const isSaved = await saveSnapshot(localActor).catch(() => undefined)
    if (isSaved === undefined) localActor.isDirty = true
    else if (!isSaved && !localActor.isOver && localActor.fence === fence) await verifyOwnership(localActor)
  }

  /** Another node may own the actor, or Redis lost its data. Stay silent until a reclaim settles it. */
  async function verifyOwnership(localActor: LocalActor) {
    localActor.fence = 0
    await reclaim(localActor)
  }

  /** False if this node does not own the actor any more. */
  async function saveSnapshot(localActor: LocalActor): Promise<boolean> {
    localActor.isDirty = false
    const snapshot = localActor.actor.snapshot()
    if (snapshot === undefined) return true
    return cluster.saveSnapshot(localActor.name, localActor.fence, serialize(snapshot))
  }

  /** Lets the actors of this node do what takes a moment before their last snapshot. */
  async function prepareRelease() {
    const preparing = [...localActors.values()].map(async ({ actor }) => actor.beforeRelease?.())
    await Promise.race([Promise.allSettled(preparing), pause(PREPARE_RELEASE_MS, undefined, { ref: false })])
  }

  async function releaseOne(localActor: LocalActor) {
    const { name, fence, actor } = localActor
    const snapshot = actor.snapshot()
    localActor.stop()
    localActors.delete(name)
    if (snapshot !== undefined) await cluster.saveSnapshot(name, fence, serialize(snapshot)).catch(report)
    await cluster.release(name, fence, { keepSnapshot: snapshot !== undefined }).catch(report)
    sendRejoin(localActor, 'stopping')
  }

  return {
    ask: ask as Ask,
    connectionClosed: memberships.connectionClosed,
    close: memberships.close,

    /** The number of this node's actors of one kind, in all environments. */
    count(kind: string): number {
      let count = 0
      for (const { id } of localActors.values()) if (id.kind === kind) count++
      return count
    },

    /** Returns a function that lists this node's actors of that kind in one environment, or in all. */
    define<P extends Protocol, A extends Actor<Snapshot>, Snapshot>(
      { kind, open: openActor, handlers, answerTimeoutsMs = {} }: ActorKind<P, A, Snapshot>,
      rejoining: Rejoining<Connection, ActorName<P>>,
    ): (environmentId?: string) => A[] {
      kinds.set(kind, {
        open: (context, snapshot) => openActor(context, snapshot as Snapshot | undefined),
        handlers,
        answerTimeoutsMs,
        rejoin: (connection, name) => rejoining.rejoin(connection, name as ActorName<P>),
        membershipLost: (connection, name) => rejoining.membershipLost(connection, name as ActorName<P>),
      })
      return (environmentId) =>
        [...localActors.values()]
          .filter(({ id }) => id.kind === kind && (environmentId ?? id.environmentId) === id.environmentId)
          .map(({ actor }) => actor as A)
    },

    prepareRelease,

    /** Releases every actor: the next node that asks for it opens it. Close the connections of this node before. */
    async release() {
      clearInterval(snapshotTimer)
      await prepareRelease()
      releases = new Map()
      for (const localActor of localActors.values()) {
        const released = releaseOne(localActor)
        releases.set(localActor.name, released)
        await released
      }
    },
  }
}

const serialize = (snapshot: unknown) => withVersion(JSON.stringify(snapshot))
