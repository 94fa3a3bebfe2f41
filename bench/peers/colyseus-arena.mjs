// The game of ../game/arena.ts on Colyseus, with its default WebSocket transport: `arena` with messages, `arena-inputs` with the inputs
// that Colyseus acknowledges for prediction, and `quiz`, which answers requests and has no ticks.
import { parseArgs } from 'node:util'

import { Room, Server } from '@colyseus/core'
import { schema, t } from '@colyseus/schema'
import { WebSocketTransport } from '@colyseus/ws-transport'

import { collide, GAME_MS, move, newBall, TICK_RATE } from '../game/arena.ts'

const { values } = parseArgs({ options: { port: { type: 'string' } } })
const TOKENS = new Set(['token'])
const TICK_MS = 1_000 / TICK_RATE

const Ball = schema({ x: t.number(), y: t.number(), vx: t.number(), vy: t.number(), hp: t.number() }, 'Ball')
const World = schema({ balls: t.map(Ball), left: t.number() }, 'World')
const Quiz = schema({ answers: t.number() }, 'Quiz')
const Move = schema({ dx: t.int8(), dy: t.int8() }, 'Move')

class Game extends Room {
  maxClients = 8
  patchRate = TICK_MS

  static onAuth(token) {
    return TOKENS.has(token)
  }

  onJoin({ sessionId }) {
    const { balls } = this.state
    balls.set(sessionId, new Ball().assign(newBall(balls.size)))
  }

  onLeave({ sessionId }) {
    this.state.balls.delete(sessionId)
  }

  tick() {
    this.state.left -= TICK_MS
    collide([...this.state.balls.values()])
  }
}

class Arena extends Game {
  onCreate() {
    this.state = new World().assign({ left: GAME_MS })
    this.onMessage('move', ({ sessionId }, input) => move(this.state.balls.get(sessionId), input))
    this.setTimestep(() => this.tick(), TICK_MS)
  }
}

class ArenaWithInputs extends Game {
  inputs = this.defineInput(Move)

  onCreate() {
    this.state = new World().assign({ left: GAME_MS })
    this.setFixedTimestep(() => {
      for (const [sessionId, ball] of this.state.balls)
        for (const input of this.inputs.get(sessionId)) move(ball, input)
      this.tick()
    }, TICK_RATE)
  }
}

class QuizRoom extends Room {
  maxClients = 8
  patchRate = TICK_MS

  static onAuth(token) {
    return TOKENS.has(token)
  }

  onCreate() {
    this.state = new Quiz().assign({ answers: 0 })
    this.onMessage('answer', (_, { choice }) => ({ isRight: choice === this.state.answers++ % 4 }))
  }
}

const transport = new WebSocketTransport({ perMessageDeflate: false, pingInterval: 0 })
const server = new Server({ transport, greet: false })
server.define('arena', Arena).filterBy(['room'])
server.define('arena-inputs', ArenaWithInputs).filterBy(['room'])
server.define('quiz', QuizRoom).filterBy(['room'])
await server.listen(Number(values.port), '127.0.0.1')
