import { Room, type RoomPlayer } from '@svc/sdk/room'

import {
  COUNTDOWN_MS,
  DASH_STEPS,
  ENERGY_MAX,
  FIELD,
  GEM_RADIUS,
  type Input,
  isDashing,
  PILLARS,
  RADIUS,
  ROUND_MS,
  step,
  STEPS_PER_SECOND,
  type World,
} from '../../shared/step.ts'

/** What every player gets at the end. */
export type Result = { winner: string | null; places: Place[] }
type Place = { id: string; name: string; gems: number; color: number }

/** Inputs that may arrive together after a pause in the network. */
const WAITING_MAX = 15
const STARTS = [120, FIELD - 120]

/** One game. The service runs it 20 times a second; players send only what they press. */
export class Arena extends Room<World> {
  static tickRate = 20

  /** How many steps each player may still make. Without it, a page that sends twice as often would be twice as fast. */
  steps = new Map<string, number>()

  onCreate() {
    this.state = { leftMs: ROUND_MS + COUNTDOWN_MS, balls: {}, gems: {} }
  }

  onJoin(player: RoomPlayer) {
    const taken = Object.values(this.state.balls).map(({ color }) => color)
    const color = [0, 1, 2, 3].find((one) => !taken.includes(one)) ?? 0
    const [x = 0, y = 0] = [STARTS[color % 2], STARTS[color === 0 || color === 3 ? 0 : 1]]
    this.state.balls[player.id] = { x, y, energy: ENERGY_MAX, gems: 0, color }
  }

  onLeave(player: RoomPlayer) {
    delete this.state.balls[player.id]
    this.steps.delete(player.id)
  }

  messages = {
    move: (player: RoomPlayer, input: Input) => {
      const left = this.steps.get(player.id) ?? WAITING_MAX
      if (left < 1) return
      this.steps.set(player.id, left - 1)
      step(this.state, player.id, input)
    },
    /** The page measures how long the answer takes. */
    ping: () => true,
  }

  onTick(dt: number) {
    if (this.state.leftMs <= 0) return
    this.state.leftMs = Math.max(0, this.state.leftMs - dt)
    // A tenth more than a page sends: its clock may be faster than ours.
    for (const [id, left] of this.steps)
      this.steps.set(id, Math.min(WAITING_MAX, left + (STEPS_PER_SECOND * 1.1 * dt) / 1_000))
    if (this.state.leftMs > ROUND_MS) return
    this.growGems()
    this.collectGems()
    this.stealGems()
    if (this.state.leftMs === 0) return this.finish()
  }

  growGems() {
    const wanted = 3 + Object.keys(this.state.balls).length
    if (Object.keys(this.state.gems).length >= wanted || this.random() > 0.2) return
    const place = () => Math.round(60 + this.random() * (FIELD - 120))
    const gem = { x: place(), y: place(), worth: this.random() < 0.15 ? 3 : 1 }
    if (PILLARS.some((pillar) => isNear(pillar, gem, pillar.radius + RADIUS))) return
    this.state.gems[`g${this.tick}`] = gem
  }

  collectGems() {
    for (const ball of Object.values(this.state.balls))
      for (const [id, gem] of Object.entries(this.state.gems)) {
        if (!isNear(ball, gem, RADIUS + GEM_RADIUS)) continue
        ball.gems += gem.worth
        delete this.state.gems[id]
      }
  }

  /** Who dashes into another player takes a gem. */
  stealGems() {
    for (const [id, ball] of Object.entries(this.state.balls)) {
      if (!isDashing(ball)) continue
      for (const [otherId, other] of Object.entries(this.state.balls)) {
        if (otherId === id || !isNear(ball, other, RADIUS * 2)) continue
        ball.energy = DASH_STEPS
        if (other.gems === 0) continue
        other.gems--
        ball.gems++
        this.send('stolen', { from: otherId, by: id })
      }
    }
  }

  /** Only this code can report the stats: players' reports are rejected (`"source": "server"` in svc.config.json). */
  async finish() {
    const places = Object.entries(this.state.balls)
      .map(([id, { gems, color }]) => ({
        id,
        gems,
        color,
        name: this.players.find((one) => one.id === id)?.displayName ?? '',
      }))
      .toSorted((a, b) => b.gems - a.gems)
    const [first, second] = places
    const winner = first && first.gems > (second?.gems ?? 0) ? first.id : null
    const reports = places.map(({ id, gems }) => this.report(id, { gems, wins: id === winner ? 1 : 0 }))
    await Promise.allSettled(reports)
    this.end({ winner, places } satisfies Result)
  }
}

const isNear = (a: { x: number; y: number }, b: { x: number; y: number }, distance: number) =>
  (a.x - b.x) ** 2 + (a.y - b.y) ** 2 < distance ** 2

export default { fetch: () => new Response('The arena has no pages.', { status: 404 }) }
