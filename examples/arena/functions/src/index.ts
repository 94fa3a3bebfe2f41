import { Refusal, Room, type RoomPlayer } from '@svc/sdk/room'

import * as rules from '../../shared/step.ts'
import { type Ball, FIELD, type Input, isNear, RADIUS, RATE, step, type World } from '../../shared/step.ts'

/** What every player gets at the end, the best first. */
export type Result = { winner: string | null; places: (Ball & { id: string })[] }

/** A tenth less than a step takes: the clock of a page may be faster than ours. */
const STEP_MS = 900 / RATE
/** Inputs that a slow network kept back may arrive together, if they are not older. */
const LATE_MS_MAX = 2_000
/** Nobody is robbed twice within this time. */
const SAFE_TICKS = 1.5 * RATE
const BOTS = ['Bolt', 'Dot', 'Zip', 'Pip']

/** One game. The service runs it 30 times a second; players send only what they press. */
export class Arena extends Room<World> {
  static tickRate = RATE

  /** When each player's next step is due. Without it, a page that sends twice as often would be twice as fast. */
  dueAt = new Map<string, number>()
  isFinishing = false

  onCreate() {
    this.state = { left: (rules.COUNTDOWN_SECONDS + rules.ROUND_SECONDS) * RATE, balls: {}, gems: {} }
    const ball = { bot: true, dy: 0, energy: rules.ENERGY_MAX, gems: 0, robbedAt: this.state.left }
    for (const [color, name] of BOTS.entries()) {
      const [x, y] = [color % 2 ? FIELD - 100 : 100, color % 3 ? FIELD - 100 : 100]
      this.state.balls[name] = { ...ball, name, color, x, y, dx: color % 2 ? -1 : 1 }
    }
  }

  /** A player takes the place of a bot, and a bot that of a player who leaves. */
  onJoin(player: RoomPlayer) {
    const [id, ball] = Object.entries(this.state.balls).find(([, { bot }]) => bot) ?? []
    if (!id || !ball) throw new Refusal('The arena is full.')
    delete this.state.balls[id]
    this.state.balls[player.id] = { ...ball, bot: false, name: player.displayName ?? 'A player' }
  }

  onLeave(player: RoomPlayer) {
    const ball = this.state.balls[player.id]
    if (ball) ball.bot = true
  }

  messages = {
    move: (player: RoomPlayer, input: Input) => {
      const dueAt = Math.max(this.dueAt.get(player.id) ?? 0, this.now - LATE_MS_MAX)
      if (dueAt > this.now) return
      this.dueAt.set(player.id, dueAt + STEP_MS)
      step(this.state, player.id, input)
    },
    /** The page measures how long the answer takes. */
    ping: () => true,
  }

  onTick() {
    if (this.state.left > 0) this.state.left--
    else if (!this.isFinishing) return this.finish()
    if (!rules.isRunning(this.state)) return
    for (const [id, ball] of Object.entries(this.state.balls)) {
      if (ball.bot) step(this.state, id, this.botInput(ball))
      this.collectGems(ball)
      if (rules.isDashing(ball)) this.stealGems(id, ball)
    }
    if (Object.keys(this.state.gems).length < 7 && this.random() < 0.06) this.growGem()
  }

  /** Bots press the same keys as players, a bit more slowly: to the nearest gem, and sometimes into a rival. */
  botInput(ball: Ball): Input {
    const wayTo = ({ x, y }: rules.Point) => Math.sqrt((x - ball.x) ** 2 + (y - ball.y) ** 2) || 1
    const rival = Object.values(this.state.balls).find((one) => one !== ball && wayTo(one) < 180)
    const dash = rival !== undefined && rival.gems > 0 && this.random() < 0.05
    const [gem = { x: 500, y: 300 }] = Object.values(this.state.gems).toSorted((a, b) => wayTo(a) - wayTo(b))
    const to = dash ? rival : gem
    return { dx: ((to.x - ball.x) / wayTo(to)) * 0.5, dy: ((to.y - ball.y) / wayTo(to)) * 0.5, dash }
  }

  growGem() {
    const place = () => Math.round(60 + this.random() * (FIELD - 120))
    const gem = { x: place(), y: place(), worth: this.random() < 0.15 ? 3 : 1 }
    const isInPillar = rules.PILLARS.some((pillar) => isNear(pillar, gem, pillar.radius + RADIUS))
    if (!isInPillar) this.state.gems[`g${this.tick}`] = gem
  }

  collectGems(ball: Ball) {
    for (const [id, gem] of Object.entries(this.state.gems)) {
      if (!isNear(ball, gem, RADIUS + rules.GEM_RADIUS)) continue
      ball.gems += gem.worth
      delete this.state.gems[id]
    }
  }

  /** Who dashes into another player takes a gem. */
  stealGems(by: string, ball: Ball) {
    for (const [from, other] of Object.entries(this.state.balls)) {
      const isSafe = other.gems === 0 || other.robbedAt - this.state.left < SAFE_TICKS
      if (other === ball || isSafe || !isNear(ball, other, RADIUS * 2)) continue
      other.gems--
      other.robbedAt = this.state.left
      ball.gems++
      this.send('stolen', { from, by })
    }
  }

  /** Only this code can report the stats: players' reports are rejected (`"source": "server"` in svc.config.json). */
  async finish() {
    this.isFinishing = true
    const balls = Object.entries(this.state.balls).map(([id, ball]) => ({ id, ...ball }))
    const places = balls.toSorted((a, b) => b.gems - a.gems)
    const winner = places.filter(({ gems }) => gems === places[0]?.gems).length === 1 ? places[0]?.id : null
    const players = places.filter(({ bot }) => !bot)
    await Promise.allSettled(
      players.map(({ id, gems }) => this.report(id, { gems, wins: id === winner ? 1 : 0 })),
    )
    this.end({ winner: winner ?? null, places } satisfies Result)
  }
}

export default {}
