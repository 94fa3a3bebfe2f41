/**
 * The game of the entries "rooms with code": players move in a field and lose health when they touch. The service and Colyseus run the
 * same functions; only the class around them differs.
 */
export type Ball = { x: number; y: number; vx: number; vy: number; hp: number }
export type Input = { dx: number; dy: number }

export const TICK_RATE = 20
export const GAME_MS = 10 * 60_000

const [WIDTH, HEIGHT, SPEED] = [800, 600, 4]
const TOUCHING = 10

export const newBall = (nth: number): Ball => ({
  x: (nth * 97) % WIDTH,
  y: (nth * 61) % HEIGHT,
  vx: 0,
  vy: 0,
  hp: 100,
})

/** A player's message. What arrives is checked, as in any game. */
export function move(ball: Ball, input: Input): void {
  ball.vx = round(within(-1, Number(input.dx) || 0, 1) * SPEED)
  ball.vy = round(within(-1, Number(input.dy) || 0, 1) * SPEED)
  ball.x = round(within(0, ball.x + ball.vx, WIDTH))
  ball.y = round(within(0, ball.y + ball.vy, HEIGHT))
}

/** A tick: tests all pairs. */
export function collide(balls: readonly Ball[]): void {
  for (const [i, one] of balls.entries())
    for (let j = i + 1; j < balls.length; j++) {
      const other = balls[j] as Ball
      const [dx, dy] = [one.x - other.x, one.y - other.y]
      if (dx * dx + dy * dy < TOUCHING * TOUCHING && one.hp > 0) one.hp -= 1
    }
}

const within = (min: number, value: number, max: number) => Math.max(min, Math.min(max, value))
const round = (value: number) => Math.round(value * 1_000) / 1_000
