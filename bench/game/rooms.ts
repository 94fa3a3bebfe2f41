import { Room, type RoomPlayer } from '@svc/sdk/room'

import { type Ball, collide, GAME_MS, type Input, move, newBall, TICK_RATE } from './arena.ts'

/** What is deployed to the service. */
export class Arena extends Room<{ balls: Record<string, Ball>; left: number }> {
  static override tickRate = TICK_RATE

  override messages = {
    move: ({ id }: RoomPlayer, input: Input) => move(this.state.balls[id] as Ball, input),
  }
  override onCreate() {
    this.state = { balls: {}, left: GAME_MS }
  }
  override onJoin({ id }: RoomPlayer) {
    const { balls } = this.state
    balls[id] = newBall(Object.keys(balls).length)
  }
  override onLeave({ id }: RoomPlayer) {
    delete this.state.balls[id]
  }
  override onTick(dt: number) {
    this.state.left -= dt
    collide(Object.values(this.state.balls))
  }
}

/** Has no ticks: its code runs when a player asks. */
export class Quiz extends Room<{ answers: number }> {
  static override tickRate = 0

  override messages = {
    answer: (_: RoomPlayer, { choice }: { choice: number }) => ({
      isRight: choice === this.state.answers++ % 4,
    }),
  }
  override onCreate() {
    this.state = { answers: 0 }
  }
}

export default { fetch: () => new Response('ok') }
