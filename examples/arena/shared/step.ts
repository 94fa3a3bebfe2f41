// The rules of movement. The room runs them for everybody; each page runs them for its own player, without waiting for the room.
// Both must get the same numbers from the same input: only + - * /, Math.sqrt and rounding, no Math.random and no clock.

export const FIELD = 1000
export const RADIUS = 26
export const GEM_RADIUS = 13
export const ROUND_MS = 60_000
export const COUNTDOWN_MS = 3_000
/** Inputs per second. Each one moves a player by one step. */
export const STEPS_PER_SECOND = 30
/** A dash needs full energy, empties it, and lasts until it is back at DASH_STEPS. */
export const ENERGY_MAX = 60
export const DASH_STEPS = 7
export const PILLARS = [
  { x: 280, y: 300, radius: 70 },
  { x: 740, y: 260, radius: 55 },
  { x: 500, y: 560, radius: 90 },
  { x: 230, y: 770, radius: 55 },
  { x: 780, y: 760, radius: 70 },
]

export type Input = { dx: number; dy: number; dash?: boolean }
export type Ball = { x: number; y: number; energy: number; gems: number; color: number }
export type Gem = { x: number; y: number; worth: number }
export type World = { leftMs: number; balls: Record<string, Ball>; gems: Record<string, Gem> }

const SPEED = 9
const DASH_SPEED = 26
const round = (value: number) => Math.round(value * 100) / 100
const inside = (value: number) => Math.min(FIELD - RADIUS, Math.max(RADIUS, value))

export const isDashing = (ball: Ball) => ball.energy < DASH_STEPS

/** Moves one player by one input. The input comes from a page, so it can be anything. */
export function step(world: World, playerId: string, input: Input) {
  const ball = world.balls[playerId]
  if (!ball || world.leftMs > ROUND_MS || world.leftMs <= 0) return
  const [dx, dy] = directionOf(input)
  ball.energy = input?.dash === true && ball.energy === ENERGY_MAX ? 0 : Math.min(ENERGY_MAX, ball.energy + 1)
  const speed = isDashing(ball) ? DASH_SPEED : SPEED
  ball.x = inside(ball.x + dx * speed)
  ball.y = inside(ball.y + dy * speed)
  for (const pillar of PILLARS) pushOut(ball, pillar)
  ball.x = round(ball.x)
  ball.y = round(ball.y)
}

/** At most 1 long, so that nobody is faster than the others. */
function directionOf(input: Input): [dx: number, dy: number] {
  const [dx, dy] = [Number(input?.dx) || 0, Number(input?.dy) || 0]
  const length = Math.max(1, Math.sqrt(dx * dx + dy * dy))
  return Number.isFinite(length) ? [dx / length, dy / length] : [0, 0]
}

function pushOut(ball: Ball, { x, y, radius }: { x: number; y: number; radius: number }) {
  const [dx, dy] = [ball.x - x, ball.y - y]
  const distance = Math.sqrt(dx * dx + dy * dy)
  const apart = radius + RADIUS
  if (distance >= apart || distance === 0) return
  ball.x = x + (dx / distance) * apart
  ball.y = y + (dy / distance) * apart
}
