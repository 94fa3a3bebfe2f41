// The rules of movement. The room runs them for everybody; each page runs them for its own player, without waiting for the room.
// Both must get the same numbers from the same input: only + - * /, Math.sqrt and rounding, no Math.random and no clock.

/** Ticks of the room per second, and inputs of a page. Each input moves a player by one step. */
export const RATE = 30
export const ROUND_SECONDS = 60
export const COUNTDOWN_SECONDS = 3

export const FIELD = 1000
export const RADIUS = 36
export const GEM_RADIUS = 18
export const PILLARS = [
  { x: 270, y: 300, radius: 70 },
  { x: 730, y: 270, radius: 55 },
  { x: 500, y: 540, radius: 85 },
  { x: 250, y: 760, radius: 55 },
  { x: 760, y: 740, radius: 70 },
]
const SPEED = 9
const DASH_SPEED = 27
/** A dash needs full energy, empties it, and lasts until it is back at DASH_STEPS. */
export const ENERGY_MAX = 60
const DASH_STEPS = 8

export type Input = { dx: number; dy: number; dash?: boolean }
export type Point = { x: number; y: number }
/** A player, or a bot on a free seat. `dx` and `dy` are where it looks, `robbedAt` is `left` when it last lost a gem. */
export type Ball = Point & {
  name: string
  color: number
  bot: boolean
  dx: number
  dy: number
  energy: number
  gems: number
  robbedAt: number
}
export type Gem = Point & { worth: number }
/** `left` counts the ticks down to the end, first those of the countdown. */
export type World = { left: number; balls: Record<string, Ball>; gems: Record<string, Gem> }

export const isRunning = ({ left }: World) => left > 0 && left <= ROUND_SECONDS * RATE
export const isDashing = ({ energy }: Ball) => energy < DASH_STEPS
export const isNear = (a: Point, b: Point, distance: number) =>
  (a.x - b.x) ** 2 + (a.y - b.y) ** 2 < distance ** 2

/** Moves one player by one input. The input comes from a page, so it can be anything. */
export function step(world: World, playerId: string, input: Input) {
  const ball = world.balls[playerId]
  if (!ball || !isRunning(world)) return
  let [dx, dy] = directionOf(input)
  const starts = input?.dash === true && ball.energy === ENERGY_MAX
  // Who dashes cannot turn, and who stands dashes to where it looks.
  if (isDashing(ball) || (starts && dx === 0 && dy === 0)) [dx, dy] = [ball.dx, ball.dy]
  else if (dx !== 0 || dy !== 0) [ball.dx, ball.dy] = [dx, dy]
  ball.energy = starts ? 0 : Math.min(ENERGY_MAX, ball.energy + 1)
  const speed = isDashing(ball) ? DASH_SPEED : SPEED
  const target = { x: inside(ball.x + dx * speed), y: inside(ball.y + dy * speed) }
  for (const pillar of PILLARS) pushOut(target, pillar)
  // Two pillars, or a pillar and the wall, can leave no room between them. Then the ball stays, and can go back.
  if (isFree(target)) [ball.x, ball.y] = [round(target.x), round(target.y)]
}

const round = (value: number) => Math.round(value * 100) / 100
const inside = (value: number) => Math.min(FIELD - RADIUS, Math.max(RADIUS, value))
/** Rounding puts a ball up to a hundredth into a pillar. */
const isFree = ({ x, y }: Point) =>
  x === inside(x) &&
  y === inside(y) &&
  !PILLARS.some((one) => isNear(one, { x, y }, one.radius + RADIUS - 0.1))

/** At most 1 long, so that nobody is faster than the others. */
function directionOf(input: Input): [dx: number, dy: number] {
  const [dx, dy] = [Number(input?.dx) || 0, Number(input?.dy) || 0]
  const length = Math.max(1, Math.sqrt(dx * dx + dy * dy))
  return Number.isFinite(length) ? [round(dx / length), round(dy / length)] : [0, 0]
}

function pushOut(target: Point, { x, y, radius }: { x: number; y: number; radius: number }) {
  const [dx, dy] = [target.x - x, target.y - y]
  const distance = Math.sqrt(dx * dx + dy * dy)
  const apart = radius + RADIUS
  if (distance >= apart || distance === 0) return
  target.x = x + (dx / distance) * apart
  target.y = y + (dy / distance) * apart
}
