import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fillDefaults } from '@svc/contract/config/defaults'
import * as fc from 'fast-check'

import { createStoppedClock, SECOND_MS } from '../../platform/clock.ts'
import { createTestActorContext } from '../../testing/actor-context.ts'
import { runs } from '../../testing/runs.ts'
import type { Mode } from './modes.ts'
import { queueActorName, type Wait } from './queue-protocol.ts'
import { Queue, type QueueDeps, type QueueSnapshot } from './queue.ts'
import { type JoiningPlayer, roomActorName, type RoomOffer } from './room-protocol.ts'
import { Room } from './room.ts'

const PLAYERS = 12
const PARTIES = ['red', 'blue']
const PARTY_SIZE = 2
const ENVIRONMENT = 'env_1'
/** An open room repeats its offer this often, in case one was lost. */
const OFFER_EVERY_S = 30

const MODES = fillDefaults({
  multiplayer: {
    modes: (
      [
        [2, 4, 15, 0],
        [2, 4, 15, 10],
        [2, 4, 0, 0],
        [3, 4, 20, 0, 0],
        [1, 8, 15, 0],
        [2, 2, 0, 0],
        [2, 8, 15, 5, 60],
        [4, 4, 5, 0],
      ] as const
    ).map(([minPlayers, maxPlayers, fillTimeoutSeconds, gatherSeconds, backfillSeconds], at) => ({
      key: `mode_${at}`,
      minPlayers,
      maxPlayers,
      fillTimeoutSeconds,
      gatherSeconds,
      ...(backfillSeconds !== undefined && { backfillSeconds }),
    })),
  },
}).multiplayer.modes

type Step =
  | { do: 'match'; who: number; party: string | null }
  | { do: 'cancel' | 'leave' | 'drop' | 'comeBack'; who: number; isOfferLost: boolean }
  | { do: 'lock'; who: number; locked: boolean }
  | { do: 'joinByCode'; who: number; friend: number }
  | { do: 'move'; isSnapshotLost: boolean }
  | { do: 'wait'; seconds: number }

const who = fc.nat({ max: PLAYERS - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('match' as const),
      who,
      party: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.constantFrom(...PARTIES)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'leave' as const, 'drop' as const, 'comeBack' as const),
      who,
      isOfferLost: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lock' as const), who, locked: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('joinByCode' as const), who, friend: who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), isSnapshotLost: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 3, 10, 31) }),
  },
)

type Playing = {
  room: Room
  isOver(): boolean
  isLocked: boolean
  seats: Set<string>
  connected: Set<string>
  left: Set<string>
}

/** A queue and its rooms without the rest of the service. Their seats are also counted separately. */
class Matches {
  readonly mode: Mode
  readonly clock = createStoppedClock()
  readonly rooms = new Map<string, Playing>()
  /** All players who requested a match, as their nodes store it. */
  readonly waits = new Map<string, Wait>()
  #movedAtMs = -Infinity
  #queue: { actor: Queue; isOver(): boolean; loseOwnership(): void } | undefined
  readonly #offers: RoomOffer[] = []
  #losesOffers = false
  #nextRoom = 1

  constructor(mode: Mode) {
    this.mode = mode
  }

  /** Opens the queue again if it has ended because it was idle. */
  get queue(): Queue {
    if (!this.#queue || this.#queue.isOver()) this.#queue = this.#newQueue()
    return this.#queue.actor
  }

  #newQueue(snapshot?: QueueSnapshot) {
    const { context, isOver, loseOwnership } = createTestActorContext(
      queueActorName(ENVIRONMENT, this.mode.key, null),
      this.clock,
    )
    const deps: QueueDeps = {
      clock: this.clock,
      open: async (_, __, ___, joining) => this.#open(joining),
      fill: async (_, roomId, joining) => this.#fill(roomId, joining),
      hasMode: async () => true,
      report: (error) => assert.ifError(error),
    }
    const actor = new Queue(context, deps, snapshot)
    return { actor, isOver, loseOwnership }
  }

  /** The node of the queue is killed: the next owner starts from its snapshot, and the waiting players join again. */
  async #move(isSnapshotLost: boolean) {
    const old = this.queue
    this.#queue?.loseOwnership()
    this.#queue = this.#newQueue(isSnapshotLost ? undefined : old.snapshot())
    this.#movedAtMs = this.clock.now().getTime()
    for (const [id, wait] of [...this.waits].toReversed())
      if (old.isWaiting(id)) await this.queue.enqueue(wait)
  }

  /** A complete party is never split. */
  #assertPartiesTogether(joining: readonly JoiningPlayer[]) {
    const ids = new Set(joining.map(({ player }) => player.id))
    const waiting = [...this.waits.values()]
      .filter(({ joiningPlayer: { player } }) => ids.has(player.id) || this.queue.isWaiting(player.id))
      .sort((a, b) => a.enqueuedAtMs - b.enqueuedAtMs)
    for (const name of PARTIES) {
      const members = waiting.filter(({ party }) => party?.id === name)
      const together = members.filter(({ joiningPlayer: { player } }) => ids.has(player.id))
      // Players who joined at the same time may change their order when the queue moves.
      if (together.length === 1 && members.length === PARTY_SIZE) assert.fail(`the party ${name} was split`)
    }
  }

  #open(joining: readonly JoiningPlayer[]) {
    this.#assertPartiesTogether(joining)
    const id = `rom_${this.#nextRoom++}`
    const { context, isOver } = createTestActorContext(roomActorName(ENVIRONMENT, id), this.clock)
    const { minPlayers, maxPlayers, backfillSeconds } = this.mode
    const createdAt = this.clock.now().toISOString()
    const backfillUntil =
      backfillSeconds === null
        ? null
        : new Date(this.clock.now().getTime() + backfillSeconds * SECOND_MS).toISOString()
    const ids = joining.map(({ player }) => player.id)
    const playing = {
      isOver,
      isLocked: false,
      seats: new Set(ids),
      connected: new Set(ids),
      left: new Set<string>(),
    }
    const room = Room.create(
      context,
      {
        clock: this.clock,
        seatFreed: (_, playerId) => {
          playing.seats.delete(playerId)
          playing.connected.delete(playerId)
        },
        over: () => {},
        offer: (_, __, offer) => void (this.#losesOffers || this.#offers.push(offer)),
      },
      {
        id,
        code: 'ABCDEFGH',
        mode: this.mode.key,
        transport: 'server',
        private: false,
        maxPlayers,
        metadata: 'null',
        hostOnlyState: false,
        createdAt,
        match: { minPlayers, backfillUntil, pool: null },
      },
      joining,
    )
    this.rooms.set(id, { ...playing, room })
    return { id }
  }

  #fill(roomId: string, joining: readonly JoiningPlayer[]) {
    const playing = this.rooms.get(roomId)
    if (!playing || playing.isOver()) return undefined
    const filled = playing.room.fill(joining)
    if (filled.isSeated) {
      assert.ok(!playing.isLocked, 'a locked room was filled')
      this.#assertPartiesTogether(joining)
    }
    if (filled.isSeated)
      for (const { player } of joining) {
        assert.ok(!playing.left.has(player.id), 'a player who left was put back')
        playing.seats.add(player.id)
        playing.connected.add(player.id)
      }
    return filled
  }

  roomOf(playerId: string): Playing | undefined {
    return [...this.rooms.values()].find(({ seats, isOver }) => !isOver() && seats.has(playerId))
  }

  async take(step: Step) {
    if (step.do === 'wait') {
      for (let second = 0; second < step.seconds; second++) {
        this.clock.advance(SECOND_MS)
        await this.settle()
      }
      return
    }
    if (step.do === 'move') {
      await this.#move(step.isSnapshotLost)
      return this.settle()
    }
    const id = `p${step.who}`
    const playing = this.roomOf(id)
    if (step.do === 'match') {
      if (!playing && !this.queue.isWaiting(id)) await this.#match(id, step.party)
    } else if (step.do === 'joinByCode') {
      if (!playing && !this.queue.isWaiting(id)) this.#joinByCode(id, this.roomOf(`p${step.friend}`))
    } else if (step.do === 'lock') {
      const host = playing && JSON.parse(playing.room.view()).hostId
      if (playing && host === id && playing.connected.has(id)) {
        playing.isLocked = step.locked
        playing.room.lock(`n/${id}`, step.locked)
      }
    } else {
      this.#losesOffers = step.isOfferLost
      if (step.do === 'cancel') this.queue.drop(({ player }) => player.id === id)
      else if (playing) this.#change(step.do, id, playing)
      this.#losesOffers = false
    }
    await this.settle()
  }

  /** The queue notices it only when it asks the room. */
  #joinByCode(id: string, playing: Playing | undefined) {
    if (!playing || playing.isLocked || playing.seats.size >= this.mode.maxPlayers) return
    playing.room.join({ ref: `n/${id}`, player: { id, displayName: null } })
    playing.seats.add(id)
    playing.connected.add(id)
    playing.left.delete(id)
  }

  #change(what: 'leave' | 'drop' | 'comeBack', id: string, playing: Playing) {
    const isConnected = playing.connected.has(id)
    if (what === 'leave' && isConnected) {
      playing.left.add(id)
      playing.room.leave(`n/${id}`)
    } else if (what === 'drop' && isConnected) {
      playing.connected.delete(id)
      playing.room.memberDisconnected(`n/${id}`)
    } else if (what === 'comeBack' && !isConnected) {
      playing.connected.add(id)
      playing.room.resume(`n/${id}`, id, null)
    }
  }

  async #match(id: string, party: string | null) {
    const wait: Wait = {
      joiningPlayer: { ref: `n/${id}`, player: { id, displayName: null } },
      mode: this.mode,
      enqueuedAtMs: this.clock.now().getTime(),
      party: party === null ? null : { id: party, size: PARTY_SIZE },
      wantsProgress: true,
    }
    this.waits.delete(id)
    this.waits.set(id, wait)
    await this.queue.enqueue(wait)
  }

  /** Waits until no timer, offer or answer is pending. */
  async settle() {
    await new Promise((resolve) => setImmediate(resolve))
    for (let offer = this.#offers.shift(); offer; offer = this.#offers.shift()) await this.queue.offer(offer)
  }

  check(isEveryOfferKnown: boolean) {
    const seated = [...this.rooms.values()]
      .filter(({ isOver }) => !isOver())
      .flatMap(({ seats }) => [...seats])
    assert.equal(new Set(seated).size, seated.length, 'two seats of one player')
    for (const { isOver, seats } of this.rooms.values())
      assert.ok(isOver() || (seats.size > 0 && seats.size <= this.mode.maxPlayers), 'empty or overfull')
    const waiting = [...this.waits.values()].filter(({ joiningPlayer: { player } }) =>
      this.queue.isWaiting(player.id),
    )
    for (const {
      joiningPlayer: { player },
      enqueuedAtMs,
    } of waiting) {
      assert.equal(this.roomOf(player.id), undefined, 'waits and has a seat')
      this.#assertNotOverdue(enqueuedAtMs)
    }
    const alone = waiting.filter(({ party }) => party === null)
    assert.ok(alone.length < this.mode.maxPlayers, 'a full match waits')
    if (this.mode.gatherSeconds === 0) assert.ok(alone.length < this.mode.minPlayers, 'a match waits')
    if (!isEveryOfferKnown) return
    for (const {
      joiningPlayer: { player },
    } of alone)
      for (const playing of this.rooms.values())
        assert.ok(!this.#isOpenTo(playing, player.id), `${player.id} waits beside a free seat`)
  }

  /** After a move, waiting players get one more second. */
  #assertNotOverdue(enqueuedAtMs: number) {
    if (this.mode.fillTimeoutSeconds === 0) return
    const dueAtMs = Math.max(
      enqueuedAtMs + this.mode.fillTimeoutSeconds * SECOND_MS,
      this.#movedAtMs + SECOND_MS,
    )
    assert.ok(this.clock.now().getTime() < dueAtMs, 'waits past the fill timeout')
  }

  #isOpenTo({ room, isOver, isLocked, seats, connected, left }: Playing, id: string): boolean {
    const { match, maxPlayers } = room.info
    if (isOver() || isLocked || connected.size === 0 || seats.size >= maxPlayers || left.has(id)) return false
    const until = match?.backfillUntil ?? null
    return until === null || this.clock.now().toISOString() < until || seats.size < this.mode.minPlayers
  }
}

const losesOffers = (step: Step) =>
  ('isOfferLost' in step && step.isOfferLost) || (step.do === 'move' && step.isSnapshotLost)

test('[ROM-11] [ROM-12] random histories: one seat each, no room overfull, parties stay together, no player waits while a seat is free or past the timeout, also after the queue has moved', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MODES),
      fc.array(step, { minLength: 20, maxLength: 60 }),
      async (mode, steps) => {
        const matches = new Matches(mode)
        let lostForS = 0
        for (const each of steps) {
          await matches.take(each)
          if (each.do === 'wait') lostForS = Math.max(lostForS - each.seconds, 0)
          else if (losesOffers(each)) lostForS = OFFER_EVERY_S + 1
          matches.check(lostForS === 0)
        }
        await matches.take({ do: 'wait', seconds: 2 * OFFER_EVERY_S })
        matches.check(true)
        if (mode.fillTimeoutSeconds > 0) assert.equal(matches.queue.liveView().waiting, 0, 'left over')
      },
    ),
    { numRuns: runs(60, 5_000) },
  )
})
