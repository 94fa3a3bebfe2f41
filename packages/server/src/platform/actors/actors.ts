import { ApiError } from '../api-error.ts'
import { setBounded } from '../bounded-map.ts'
import type { Claim, Cluster } from '../cluster.ts'
import type { Timers } from '../timers.ts'
import { type ActorId, type ActorKind, type ActorName, type ConnectionRef, idOf, nodeOf } from './actor.ts'
import { LocalActor, ActorMovedError } from './local-actor.ts'
import { type LocalConnection, type LocalConnections, Members } from './members.ts'
import { type NodeMessage, outcomeOf } from './node-messages.ts'
import { createNodeRequests } from './node-requests.ts'

export type ActorsNeeds<Connection extends LocalConnection> = {
  cluster: Cluster
  connections: LocalConnections<Connection>
  timers: Timers
  report(error: unknown): void
}

/** Its owner is gone: take the place again at the next one, or tell the client that it is lost. */
type Rejoin<Connection> = (connection: Connection, id: ActorId) => Promise<void>

export type Actors<Connection extends LocalConnection = LocalConnection> = ReturnType<
  typeof createActors<Connection>
>

const SNAPSHOT_INTERVAL_MS = 1_000
const OWNER_CACHE_MAX = 100_000
const TRIES_MAX = 4
const RECLAIM_BATCH = 100

/** Finds actors wherever they are, and makes or takes over those that are nowhere. One code path for one node and for many. */
export function createActors<Connection extends LocalConnection>(needs: ActorsNeeds<Connection>) {
  const { cluster, connections, timers, report } = needs
  const kinds = new Map<string, { kind: ActorKind; rejoin: Rejoin<Connection> }>()
  const here = new Map<string, LocalActor>()
  const opening = new Map<string, Promise<LocalActor | undefined>>()
  /** Where others' actors were last seen; wrong ones answer that it has moved. */
  const owners = new Map<string, string>()
  /** While this node looks which of its actors are still its own. */
  let reclaiming: Promise<unknown> | undefined
  const send = (nodeId: string, message: NodeMessage) => cluster.send(nodeId, JSON.stringify(message))
  const nodeRequests = createNodeRequests(send)

  cluster.onMessage((from, text) => receive(from, JSON.parse(text) as NodeMessage))
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

  /** Answers at once where the actor is on this node. `any` makes one where there is none; `existing` finds nobody then. */
  function ask(name: ActorName, message: unknown, claimMode: 'existing' | 'any' = 'existing'): unknown {
    const localActor = here.get(name)
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

  function askAgain(error: unknown, name: string, message: unknown, claimMode: 'existing' | 'any') {
    if (error instanceof ActorMovedError) return askOwner(name, message, claimMode)
    throw error
  }

  async function askOwner(name: string, message: unknown, claimMode: 'existing' | 'any'): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        const owner = owners.get(name)
        if (owner !== undefined) return await nodeRequests.node(owner, { type: 'ask', name, message })
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

  /** Ours, or nobody's; whose else it is stands in `owners` afterwards. */
  async function open(name: string, claimMode: 'existing' | 'any'): Promise<LocalActor | undefined> {
    for (;;) {
      const known = here.get(name)
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

  async function claim(name: string, claimMode: 'existing' | 'any'): Promise<LocalActor | undefined> {
    const { kind } = kindOf(name)
    const claimed = await cluster.claim(name, claimMode)
    if (claimed.owner === 'nobody') return undefined
    if (claimed.owner === 'other') {
      cacheOwner(name, claimed.nodeId)
      return undefined
    }

    const localActor = createLocalActor(name)
    localActor.fence = claimed.fence
    const snapshot: unknown = claimed.snapshot === undefined ? undefined : JSON.parse(claimed.snapshot)
    try {
      const actor = await kind.open(localActor.context, snapshot as never)
      if (!actor) {
        await cluster.release(name, localActor.fence, { keepSnapshot: false })
        return undefined
      }
      // What was claimed before this node was cut off is not among those that it looked after when it came back.
      localActor.context.assertStillOwner()
      localActor.begin(actor as never)
      here.set(name, localActor)
      return localActor
    } catch (error) {
      localActor.abandon()
      // One that has moved is claimed again in a moment.
      if (!(error instanceof ActorMovedError))
        await cluster.release(name, localActor.fence, { keepSnapshot: true })
      throw error
    }
  }

  function cacheOwner(name: string, nodeId: string) {
    setBounded(owners, name, nodeId, OWNER_CACHE_MAX)
  }

  function createLocalActor(name: string): LocalActor {
    const id = idOf(name)
    const wire = {
      joined: (ref: ConnectionRef) => toNodeOf(ref, { type: 'joined', name, ref }),
      left: (ref: ConnectionRef) => toNodeOf(ref, { type: 'left', name, ref }),
      say: (nodeId: string, refs: ConnectionRef[], text: string) => say(nodeId, refs, text),
    }
    return new LocalActor({
      id,
      members: new Members(connections, wire),
      timers,
      isOwned: cluster.isLive,
      tell: (ref, event) => say(nodeOf(ref), [ref], JSON.stringify(event)),
      report,
      ended(localActor) {
        here.delete(name)
        cluster.release(name, localActor.fence, { keepSnapshot: false }).catch(report)
      },
    })
  }

  // Talking to connections, here and elsewhere

  function say(nodeId: string, refs: ConnectionRef[], text: string) {
    if (refs.length === 0) return
    if (nodeId !== cluster.nodeId) return send(nodeId, { type: 'say', refs, text })
    const frame = connections.frame(text)
    for (const ref of refs) connections.find(ref)?.send(frame)
  }

  function toNodeOf(ref: ConnectionRef, message: NodeMessage) {
    const nodeId = nodeOf(ref)
    if (nodeId === cluster.nodeId) receive(cluster.nodeId, message)
    else send(nodeId, message)
  }

  function receive(from: string, message: NodeMessage) {
    switch (message.type) {
      case 'ask':
        return answer(from, message.id, async () => {
          // Whoever asks here was told that it is ours: if it is not, opening it settles whose it is.
          const localActor = here.get(message.name) ?? (await open(message.name, 'existing'))
          if (!localActor?.isOwned) throw new ActorMovedError()
          return localActor.receive(message.message)
        })
      case 'survey':
        return answer(from, message.id, () =>
          surveyHere(message.kind, message.environmentId, message.question),
        )
      case 'answer':
        return nodeRequests.answered(message.id, message.answer)
      case 'joined': {
        const connection = connections.find(message.ref)
        if (connection) return void connection.memberships.set(message.name, from)
        return sendMemberGone(from, message.name, message.ref)
      }
      case 'left': {
        const memberships = connections.find(message.ref)?.memberships
        // One that has lost it may still say so when it belongs to the next owner already.
        return void (memberships?.get(message.name) === from && memberships.delete(message.name))
      }
      case 'say':
        return say(cluster.nodeId, message.refs, message.text)
      case 'close':
        return connections.find(message.ref)?.close(message.code, message.reason)
      case 'gone':
        return here.get(message.name)?.memberDisconnected(message.ref)
      case 'lost':
        return message.names.forEach((name) => relocate(name, from))
    }
  }

  function answer(to: string, id: number, work: () => unknown) {
    outcomeOf(work).then(
      (outcome) => send(to, { type: 'answer', id, answer: outcome }),
      (error: unknown) => {
        report(error)
        send(to, { type: 'answer', id, answer: { ok: false, code: 'internal_error', details: undefined } })
      },
    )
  }

  function sendMemberGone(owner: string, name: string, ref: ConnectionRef) {
    if (owner !== cluster.nodeId) return send(owner, { type: 'gone', name, ref })
    // Later, because it may be the actor itself that has just added it.
    queueMicrotask(() => here.get(name)?.memberDisconnected(ref))
  }

  /** A connection of this node has closed. */
  function connectionClosed(connection: Connection) {
    for (const [name, owner] of connection.memberships) sendMemberGone(owner, name, connection.ref)
    connection.memberships.clear()
  }

  function close(ref: ConnectionRef, code: number, reason: string) {
    toNodeOf(ref, { type: 'close', ref, code, reason })
  }

  // Owners that come and go

  function nodeLost(nodeId: string) {
    for (const [name, owner] of owners) if (owner === nodeId) owners.delete(name)
    nodeRequests.lost(nodeId)
    for (const localActor of here.values())
      localActor.context.members.ofNode(nodeId).forEach((ref) => localActor.memberDisconnected(ref))
    for (const connection of connections.all()) {
      for (const [name, owner] of connection.memberships) if (owner === nodeId) rejoin(connection, name)
    }
  }

  function relocate(name: string, formerOwner: string) {
    if (owners.get(name) === formerOwner) owners.delete(name)
    for (const connection of connections.all()) {
      if (connection.memberships.get(name) === formerOwner) rejoin(connection, name)
    }
  }

  function rejoin(connection: Connection, name: string) {
    connection.memberships.delete(name)
    connection.queueBehind(kindOf(name).rejoin(connection, idOf(name)).catch(report))
  }

  /** What we own we keep, unless somebody took it meanwhile; whatever crosses nodes starts anew, because messages were lost. */
  async function reclaimAll() {
    owners.clear()
    const mine = [...here.values()]
    while (mine.length > 0) await Promise.all(mine.splice(0, RECLAIM_BATCH).map(reclaim))
    for (const connection of connections.all()) {
      for (const [name, owner] of connection.memberships)
        if (owner !== cluster.nodeId) rejoin(connection, name)
    }
  }

  async function reclaim(localActor: LocalActor) {
    const claimed = await retrying(() => cluster.claim(localActor.name, 'reclaim'))
    if (here.get(localActor.name) !== localActor) return
    if (claimed.owner !== 'us') return lose(localActor)
    localActor.fence = claimed.fence
    localActor.isDirty = true
    sendRejoin(localActor)
  }

  /** One that is not answered keeps nobody else waiting for long; it is lost, and its members look for it. */
  async function retrying(work: () => Promise<Claim>): Promise<Claim> {
    for (let tries = 1; tries < TRIES_MAX; tries++) {
      const claimed = await work().catch(() => undefined)
      if (claimed) return claimed
    }
    return work().catch(() => ({ owner: 'nobody' }))
  }

  function sendRejoin({ name, context }: LocalActor) {
    for (const nodeId of context.members.otherNodes()) send(nodeId, { type: 'lost', names: [name] })
  }

  /** It is another's now: not a word more from here. */
  function lose(localActor: LocalActor) {
    localActor.abandon()
    here.delete(localActor.name)
    relocate(localActor.name, cluster.nodeId)
    sendRejoin(localActor)
  }

  async function saveSnapshots() {
    for (const localActor of here.values()) {
      if (!localActor.isDirty || !localActor.isOwned) continue
      const { fence } = localActor
      const kept = await saveSnapshot(localActor).catch(() => undefined)
      if (kept === undefined) localActor.isDirty = true
      else if (!kept && !localActor.isOver && localActor.fence === fence) await verifyOwnership(localActor)
    }
  }

  /** Another's by now, or forgotten by a Redis that has lost everything: until that is known, not a word from here. */
  async function verifyOwnership(localActor: LocalActor) {
    localActor.fence = 0
    await reclaim(localActor)
  }

  async function saveSnapshot(localActor: LocalActor): Promise<boolean> {
    localActor.isDirty = false
    const snapshot = localActor.actor.snapshot()
    return (
      snapshot === undefined ||
      cluster.saveSnapshot(localActor.name, localActor.fence, JSON.stringify(snapshot))
    )
  }

  // Looking at all of them

  function surveyHere(kind: string, environmentId: string, question: unknown): unknown {
    const ofEnvironment = [...here.values()].filter(
      ({ id }) => id.kind === kind && id.environmentId === environmentId,
    )
    return kinds.get(kind)?.kind.survey?.(
      ofEnvironment.map(({ actor }) => actor as never),
      question,
    )
  }

  return {
    ask,
    connectionClosed: connectionClosed,
    close,
    nodeId: cluster.nodeId,

    define<Message, Snapshot>(kind: ActorKind<Message, Snapshot>, rejoinPlace: Rejoin<Connection>) {
      kinds.set(kind.kind, { kind: kind as unknown as ActorKind, rejoin: rejoinPlace })
    },

    /** Every node's answer; a node that does not answer in time is left out. */
    async survey(kind: string, environmentId: string, question: unknown = null): Promise<unknown[]> {
      const others = cluster.nodes().filter((nodeId) => nodeId !== cluster.nodeId)
      const answers = await Promise.allSettled([
        surveyHere(kind, environmentId, question),
        ...others.map((nodeId) =>
          nodeRequests.node(nodeId, { type: 'survey', kind, environmentId, question }),
        ),
      ])
      return answers.flatMap((each) =>
        each.status === 'fulfilled' && each.value !== undefined ? [each.value] : [],
      )
    },

    /** Leaves every actor to whoever asks for it next. The connections of this node are closed by now. */
    async stop() {
      clearInterval(snapshotTimer)
      for (const localActor of here.values()) {
        localActor.abandon()
        here.delete(localActor.name)
        const snapshot = localActor.actor.snapshot()
        if (snapshot !== undefined)
          await cluster
            .saveSnapshot(localActor.name, localActor.fence, JSON.stringify(snapshot))
            .catch(report)
        await cluster
          .release(localActor.name, localActor.fence, { keepSnapshot: snapshot !== undefined })
          .catch(report)
        sendRejoin(localActor)
      }
    },
  }
}
