import { ApiError } from '../api-error.ts'
import { setBounded } from '../bounded-map.ts'
import type { Claim, Cluster } from '../cluster.ts'
import type { Timers } from '../timers.ts'
import { type ActorId, type ActorKind, type ActorName, type ConnectionRef, idOf, nodeOf } from './actor.ts'
import { createAsking } from './node-requests.ts'
import { Living, Moved } from './local-actor.ts'
import { type LocalConnection, type LocalConnections, Members } from './members.ts'
import { type NodeMessage, outcomeOf } from './node-messages.ts'

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

const KEEP_EVERY_MS = 1_000
const OWNERS_REMEMBERED = 100_000
const TRIES_MAX = 4
const RECLAIMED_AT_ONCE = 100

/** Finds actors wherever they are, and makes or takes over those that are nowhere. One code path for one node and for many. */
export function createActors<Connection extends LocalConnection>(needs: ActorsNeeds<Connection>) {
  const { cluster, connections, timers, report } = needs
  const kinds = new Map<string, { kind: ActorKind; rejoin: Rejoin<Connection> }>()
  const here = new Map<string, Living>()
  const opening = new Map<string, Promise<Living | undefined>>()
  /** Where others' actors were last seen; wrong ones answer that it has moved. */
  const owners = new Map<string, string>()
  /** While this node looks which of its actors are still its own. */
  let returning: Promise<unknown> | undefined
  const send = (nodeId: string, message: NodeMessage) => cluster.send(nodeId, JSON.stringify(message))
  const asking = createAsking(send)

  cluster.onMessage((from, text) => receive(from, JSON.parse(text) as NodeMessage))
  cluster.onNodeLost(nodeLost)
  cluster.onReturn(() => {
    returning = returned()
      .catch(report)
      .finally(() => (returning = undefined))
  })
  const keeping = cluster.shared ? setInterval(() => void keepAll().catch(report), KEEP_EVERY_MS) : undefined

  function kindOf(name: string) {
    const found = kinds.get(idOf(name).kind)
    if (!found) throw new Error(`no kind of actor is defined for ${name}`)
    return found
  }

  // Asking

  /** Answers at once where the actor is on this node. `any` makes one where there is none; `existing` finds nobody then. */
  function ask(name: ActorName, message: unknown, how: 'existing' | 'any' = 'existing'): unknown {
    const living = here.get(name)
    if (living?.isLive) {
      try {
        const answer = living.receive(message)
        if (!(answer instanceof Promise)) return answer
        return answer.catch((error: unknown) => askAgain(error, name, message, how))
      } catch (error) {
        return askAgain(error, name, message, how)
      }
    }
    return askAnywhere(name, message, how)
  }

  function askAgain(error: unknown, name: string, message: unknown, how: 'existing' | 'any') {
    if (error instanceof Moved) return askAnywhere(name, message, how)
    throw error
  }

  async function askAnywhere(name: string, message: unknown, how: 'existing' | 'any'): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        const owner = owners.get(name)
        if (owner !== undefined) return await asking.node(owner, { type: 'ask', name, message })
        const living = await open(name, how)
        if (living) return await living.receive(message)
        if (!owners.has(name)) return undefined
      } catch (error) {
        if (!(error instanceof Moved) || tries >= TRIES_MAX) throw asRefusal(error)
        owners.delete(name)
      }
    }
  }

  const asRefusal = (error: unknown) => (error instanceof Moved ? new ApiError('service_unavailable') : error)

  /** Ours, or nobody's; whose else it is stands in `owners` afterwards. */
  async function open(name: string, how: 'existing' | 'any'): Promise<Living | undefined> {
    for (;;) {
      const known = here.get(name)
      if (known) {
        if (known.isLive) return known
        if (!returning) throw new ApiError('service_unavailable')
        await returning
        continue
      }
      const underWay = opening.get(name)
      if (!underWay) break
      const living = await underWay
      if (living || owners.has(name) || how === 'existing') return living
    }
    const work = claim(name, how)
    opening.set(name, work)
    try {
      return await work
    } finally {
      opening.delete(name)
    }
  }

  async function claim(name: string, how: 'existing' | 'any'): Promise<Living | undefined> {
    const { kind } = kindOf(name)
    const claimed = await cluster.claim(name, how)
    if (claimed.owner === 'nobody') return undefined
    if (claimed.owner === 'other') {
      remember(name, claimed.nodeId)
      return undefined
    }

    const living = stageFor(name)
    living.fence = claimed.fence
    const snapshot: unknown = claimed.snapshot === undefined ? undefined : JSON.parse(claimed.snapshot)
    try {
      const actor = await kind.open(living.stage, snapshot as never)
      if (!actor) {
        await cluster.release(name, living.fence, { leaveSnapshot: false })
        return undefined
      }
      // What was claimed before this node was cut off is not among those that it looked after when it came back.
      living.stage.requireOwned()
      living.begin(actor as never)
      here.set(name, living)
      return living
    } catch (error) {
      living.abandon()
      // One that has moved is claimed again in a moment.
      if (!(error instanceof Moved)) await cluster.release(name, living.fence, { leaveSnapshot: true })
      throw error
    }
  }

  function remember(name: string, nodeId: string) {
    setBounded(owners, name, nodeId, OWNERS_REMEMBERED)
  }

  function stageFor(name: string): Living {
    const id = idOf(name)
    const wire = {
      joined: (ref: ConnectionRef) => toNodeOf(ref, { type: 'joined', name, ref }),
      left: (ref: ConnectionRef) => toNodeOf(ref, { type: 'left', name, ref }),
      say: (nodeId: string, refs: ConnectionRef[], text: string) => say(nodeId, refs, text),
    }
    return new Living({
      id,
      members: new Members(connections, wire),
      timers,
      isLive: cluster.isLive,
      tell: (ref, event) => say(nodeOf(ref), [ref], JSON.stringify(event)),
      report,
      ended(living) {
        here.delete(name)
        cluster.release(name, living.fence, { leaveSnapshot: false }).catch(report)
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
          const living = here.get(message.name) ?? (await open(message.name, 'existing'))
          if (!living?.isLive) throw new Moved()
          return living.receive(message.message)
        })
      case 'survey':
        return answer(from, message.id, () =>
          surveyHere(message.kind, message.environmentId, message.question),
        )
      case 'answer':
        return asking.answered(message.id, message.answer)
      case 'joined': {
        const connection = connections.find(message.ref)
        if (connection) return void connection.places.set(message.name, from)
        return tellGone(from, message.name, message.ref)
      }
      case 'left': {
        const places = connections.find(message.ref)?.places
        // One that has lost it may still say so when it belongs to the next owner already.
        return void (places?.get(message.name) === from && places.delete(message.name))
      }
      case 'say':
        return say(cluster.nodeId, message.refs, message.text)
      case 'close':
        return connections.find(message.ref)?.close(message.code, message.reason)
      case 'gone':
        return here.get(message.name)?.gone(message.ref)
      case 'lost':
        return message.names.forEach((name) => lookAnew(name, from))
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

  function tellGone(owner: string, name: string, ref: ConnectionRef) {
    if (owner !== cluster.nodeId) return send(owner, { type: 'gone', name, ref })
    // Later, because it may be the actor itself that has just added it.
    queueMicrotask(() => here.get(name)?.gone(ref))
  }

  /** A connection of this node has closed. */
  function gone(connection: Connection) {
    for (const [name, owner] of connection.places) tellGone(owner, name, connection.ref)
    connection.places.clear()
  }

  function close(ref: ConnectionRef, code: number, reason: string) {
    toNodeOf(ref, { type: 'close', ref, code, reason })
  }

  // Owners that come and go

  function nodeLost(nodeId: string) {
    for (const [name, owner] of owners) if (owner === nodeId) owners.delete(name)
    asking.lost(nodeId)
    for (const living of here.values()) living.stage.members.ofNode(nodeId).forEach((ref) => living.gone(ref))
    for (const connection of connections.all()) {
      for (const [name, owner] of connection.places) if (owner === nodeId) rejoin(connection, name)
    }
  }

  function lookAnew(name: string, formerOwner: string) {
    if (owners.get(name) === formerOwner) owners.delete(name)
    for (const connection of connections.all()) {
      if (connection.places.get(name) === formerOwner) rejoin(connection, name)
    }
  }

  function rejoin(connection: Connection, name: string) {
    connection.places.delete(name)
    connection.hold(kindOf(name).rejoin(connection, idOf(name)).catch(report))
  }

  /** What we own we keep, unless somebody took it meanwhile; whatever crosses nodes starts anew, because messages were lost. */
  async function returned() {
    owners.clear()
    const mine = [...here.values()]
    while (mine.length > 0) await Promise.all(mine.splice(0, RECLAIMED_AT_ONCE).map(reclaim))
    for (const connection of connections.all()) {
      for (const [name, owner] of connection.places) if (owner !== cluster.nodeId) rejoin(connection, name)
    }
  }

  async function reclaim(living: Living) {
    const claimed = await retrying(() => cluster.claim(living.name, 'reclaim'))
    if (here.get(living.name) !== living) return
    if (claimed.owner !== 'us') return lose(living)
    living.fence = claimed.fence
    living.isDirty = true
    tellLost(living)
  }

  /** One that is not answered keeps nobody else waiting for long; it is lost, and its members look for it. */
  async function retrying(work: () => Promise<Claim>): Promise<Claim> {
    for (let tries = 1; tries < TRIES_MAX; tries++) {
      const claimed = await work().catch(() => undefined)
      if (claimed) return claimed
    }
    return work().catch(() => ({ owner: 'nobody' }))
  }

  function tellLost({ name, stage }: Living) {
    for (const nodeId of stage.members.otherNodes()) send(nodeId, { type: 'lost', names: [name] })
  }

  /** It is another's now: not a word more from here. */
  function lose(living: Living) {
    living.abandon()
    here.delete(living.name)
    lookAnew(living.name, cluster.nodeId)
    tellLost(living)
  }

  async function keepAll() {
    for (const living of here.values()) {
      if (!living.isDirty || !living.isLive) continue
      const { fence } = living
      const kept = await keep(living).catch(() => undefined)
      if (kept === undefined) living.isDirty = true
      else if (!kept && !living.isOver && living.fence === fence) await doubt(living)
    }
  }

  /** Another's by now, or forgotten by a Redis that has lost everything: until that is known, not a word from here. */
  async function doubt(living: Living) {
    living.fence = 0
    await reclaim(living)
  }

  async function keep(living: Living): Promise<boolean> {
    living.isDirty = false
    const snapshot = living.actor.snapshot()
    return snapshot === undefined || cluster.keep(living.name, living.fence, JSON.stringify(snapshot))
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
    gone,
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
        ...others.map((nodeId) => asking.node(nodeId, { type: 'survey', kind, environmentId, question })),
      ])
      return answers.flatMap((each) =>
        each.status === 'fulfilled' && each.value !== undefined ? [each.value] : [],
      )
    },

    /** Leaves every actor to whoever asks for it next. The connections of this node are closed by now. */
    async stop() {
      clearInterval(keeping)
      for (const living of here.values()) {
        living.abandon()
        here.delete(living.name)
        const snapshot = living.actor.snapshot()
        if (snapshot !== undefined)
          await cluster.keep(living.name, living.fence, JSON.stringify(snapshot)).catch(report)
        await cluster
          .release(living.name, living.fence, { leaveSnapshot: snapshot !== undefined })
          .catch(report)
        tellLost(living)
      }
    },
  }
}
