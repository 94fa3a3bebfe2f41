import { connect, isSvcError, type MatchProgress, type Room } from '@svc/sdk'

// Only its types: none of the room's code is in the page.
import type { Arena, Result } from '../functions/src/index.ts'
import { isRunning, type Point, RATE, step } from '../shared/step.ts'
import { createDrawing, type Drawn } from './draw.ts'
import { readInput } from './input.ts'
import { watchLink } from './link.ts'
import { showGame, showPanel, showResult, showScores } from './screen.ts'

const svc = await connect()
const draw = createDrawing()
let game: ReturnType<typeof createGame> | undefined

async function search() {
  const cancel = new AbortController()
  const onProgress = ({ waiting, startsAt }: Pick<MatchProgress, 'waiting' | 'startsAt'>) => {
    const seconds = startsAt ? Math.ceil((Date.parse(startsAt) - Date.now()) / 1_000) : 0
    const when = seconds > 0 ? `Bots take the free places in ${seconds} s.` : ''
    showPanel('Looking for players', `${waiting} of 4 are here.\n${when}`, 'Cancel', () => cancel.abort())
  }
  onProgress({ waiting: 1, startsAt: null })
  try {
    enter(await svc.rooms.quickMatch<Arena>('arena', { onProgress, signal: cancel.signal }))
  } catch (error) {
    home(isSvcError(error, 'aborted') ? undefined : (error as Error).message)
  }
}

function enter(room: Room<Arena>) {
  const entered = (game = createGame(room))
  showGame()
  room.on('message', (type, data) => {
    if (type === 'stolen' && (data as { from: string }).from === room.me.id) draw.shake()
  })
  room.on('closed', (reason, _error, result) => {
    if (game === entered) game = undefined
    if (reason === 'finished') showResult(result as Result, svc, search)
    else home(`The game has ended (${reason}).`)
  })
}

/** The game on this page. `me.state` is the world with the player's own steps in it, before the room has confirmed them. */
function createGame(room: Room<Arena>) {
  const me = room.predict({ step, type: 'move' })
  const link = watchLink(room, () => (isRunning(me.state) ? me.state.balls[room.me.id] : undefined))
  const shown: Record<string, Point> = {}
  /** Inputs that are due: less than one between two frames. */
  let due = 0

  return function frame(elapsedMs: number) {
    // One input per step, at the same rate on every screen. `me.state` has moved when `send` returns.
    for (due += (elapsedMs * RATE) / 1_000; due >= 1; due--) if (isRunning(me.state)) me.send(readInput())
    link.moved()
    const others = room.smooth('balls')
    const balls = Object.entries(me.state.balls).map(([id, ball]): Drawn => {
      const isMe = id === room.me.id
      const [to, glideMs] = isMe ? [ball, 30] : [others[id] ?? ball, 80]
      const { x, y } = (shown[id] = glide(shown[id] ?? to, to, elapsedMs / glideMs))
      const isAway = room.players.some((player) => player.id === id && !player.connected)
      return { ...ball, id, x, y, isMe, isAway }
    })
    draw.world(me.state, balls)
    showScores(me.state, balls)
  }
}

/** Steps and syncs do not come with the frames of the screen, and late ones come together. What is drawn follows them smoothly. */
function glide(from: Point, to: Point, time: number): Point {
  const part = 1 - Math.exp(-time)
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

const WELCOME = 'Four balls, 60 seconds.\nDash into a rival to take a gem.'
const home = (text = WELCOME) => showPanel('Collect the most gems', text, 'Play', search, svc)

// After a reload, take the seat back if the game still runs.
const seat = await svc.rooms.resume<Arena>().catch(() => null)
if (seat) enter(seat)
else home()

let lastMs = performance.now()
requestAnimationFrame(function next(nowMs) {
  requestAnimationFrame(next)
  if (game) game(Math.min(250, nowMs - lastMs))
  else draw.idle()
  lastMs = nowMs
})
