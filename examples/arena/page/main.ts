import { connect, isSvcError, type MatchProgress, type Prediction, type Room } from '@svc/sdk'

// Only its types: none of the room's code is in the page.
import type { Arena, Result } from '../functions/src/index.ts'
import {
  type Ball,
  ENERGY_MAX,
  type Input,
  ROUND_MS,
  step,
  STEPS_PER_SECOND,
  type World,
} from '../shared/step.ts'
import { COLORS, createDrawing, type Drawn } from './draw.ts'
import { createInput } from './input.ts'

const $ = <T extends HTMLElement>(id: string) => document.getElementById(id) as T
const button = $<HTMLButtonElement>('play')
const dashButton = $<HTMLButtonElement>('dash')
const draw = createDrawing($<HTMLCanvasElement>('field'))
const input = createInput($('stick'), dashButton)

/** A game that this page plays: `me` has the world with the player's own steps in it, before the room has confirmed them. */
type Game = {
  room: Room<Arena>
  me: Prediction<World, Input>
  /** Steps that are due; less than one between two frames. */
  steps: number
  shown?: { x: number; y: number }
}

const svc = await connect()
let game: Game | undefined

async function search() {
  const cancel = new AbortController()
  const onProgress = ({ waiting, maxPlayers, startsAt }: MatchProgress) => {
    const seconds = startsAt ? Math.max(1, Math.round((Date.parse(startsAt) - Date.now()) / 1_000)) : 0
    const when = seconds ? `The game starts in ${seconds} s.` : 'Waiting for a rival …'
    show('Looking for players', `${waiting} of ${maxPlayers} here. ${when}`, 'Cancel', () => cancel.abort())
  }
  onProgress({ waiting: 1, minPlayers: 2, maxPlayers: 4, startsAt: null })
  try {
    enter(await svc.rooms.quickMatch<Arena>('arena', { onProgress, signal: cancel.signal }))
  } catch (error) {
    home(isSvcError(error, 'aborted') ? undefined : (error as Error).message)
  }
}

function enter(room: Room<Arena>) {
  const entered: Game = { room, me: room.predict({ step, type: 'move' }), steps: 0 }
  game = entered
  $('panel').hidden = true
  dashButton.hidden = false
  room.on('closed', (reason, _error, result) => {
    if (game !== entered) return
    game = undefined
    dashButton.hidden = true
    if (reason === 'finished') showResult(result as Result)
    else home(`The game has ended (${reason}).`)
  })
  void measureLatency(entered)
}

/** A call returns what the handler of the room returns. */
async function measureLatency(of: Game) {
  while (game === of) {
    const start = performance.now()
    await of.room.call('ping').catch(() => {})
    $('link').innerHTML = `<b>the server decides</b><br>${Math.round(performance.now() - start)} ms`
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
}

let lastFrame = performance.now()
function frame(now: number) {
  requestAnimationFrame(frame)
  const elapsedMs = Math.min(100, now - lastFrame)
  lastFrame = now
  if (!game) return draw([], [], '')
  const { room, me } = game
  // One input per step, at the same rate on every screen. `me.state` has moved when `send` returns.
  for (game.steps += (elapsedMs * STEPS_PER_SECOND) / 1_000; game.steps >= 1; game.steps--)
    me.send(input.read())
  const world = me.state
  const others = room.smooth('balls')
  const drawn = room.players.flatMap((player): Drawn[] => {
    const isMe = player.id === room.me.id
    const ball = world.balls[player.id]
    const at = isMe ? gliding(game as Game, ball, elapsedMs) : others[player.id]
    if (!ball || !at) return []
    const { x, y } = at
    return [{ ball: { ...ball, x, y }, name: player.displayName ?? '', isMe, isAway: !player.connected }]
  })
  const countdown = Math.ceil((world.leftMs - ROUND_MS) / 1_000)
  draw(Object.values(world.gems), drawn, countdown > 0 ? String(countdown) : '')
  showScores(world, drawn)
}

/** Steps are 33 ms apart and frames are not: the drawn ball follows the predicted one smoothly. */
function gliding(of: Game, ball: Ball | undefined, elapsedMs: number) {
  if (!ball) return undefined
  const { x, y } = of.shown ?? ball
  const part = 1 - Math.exp(-elapsedMs / 30)
  of.shown = { x: x + (ball.x - x) * part, y: y + (ball.y - y) * part }
  dashButton.disabled = ball.energy < ENERGY_MAX
  return of.shown
}

let shownScores = ''
function showScores({ leftMs }: World, drawn: readonly Drawn[]) {
  const seconds = Math.min(ROUND_MS / 1_000, Math.ceil(leftMs / 1_000))
  const text = JSON.stringify([seconds, drawn.map(({ ball, name, isAway }) => [ball.gems, name, isAway])])
  if (text === shownScores) return
  shownScores = text
  $('time').textContent = String(seconds)
  $('time').classList.toggle('last', seconds <= 10)
  $('scores').replaceChildren(
    ...drawn.map(({ ball, name, isMe, isAway }) =>
      chip(isMe ? 'you' : name, ball.gems, COLORS[ball.color], { me: isMe, away: isAway }),
    ),
  )
}

function chip(name: string, value: number, color = '#93a0c4', classes: Record<string, boolean> = {}) {
  const item = document.createElement('li')
  item.className = ['chip', ...Object.keys(classes).filter((key) => classes[key])].join(' ')
  item.style.setProperty('--color', color)
  item.append(Object.assign(document.createElement('span'), { textContent: name }))
  item.append(Object.assign(document.createElement('b'), { textContent: value }))
  return item
}

// --- the panel: before a game, and after it

function show(title: string, text: string, action: string, onClick: () => unknown) {
  $('panel').hidden = button.hidden = false
  $('title').textContent = title
  $('text').textContent = text
  $('places').replaceChildren()
  button.textContent = action
  button.onclick = onClick
}

const WELCOME = 'Two to four players, 60 seconds.\nDash into a rival to take a gem.'

function home(text = WELCOME) {
  show('Collect the most gems', text, 'Play', search)
  void showBoard()
}

function showResult({ winner, places }: Result) {
  $('time').textContent = ''
  const isMine = winner === svc.player.id
  const name = places.find(({ id }) => id === winner)?.name ?? ''
  const title = isMine ? 'You win!' : winner === null ? 'A draw' : `${name} wins`
  show(title, 'The server has counted, and reported the result.', 'Play again', search)
  $('places').replaceChildren(
    ...places.map(({ id, name, gems, color }) => {
      const isMe = id === svc.player.id
      return chip(isMe ? 'you' : name, gems, COLORS[color], { me: isMe })
    }),
  )
  // A leaderboard may be a second old.
  setTimeout(() => void showBoard(), 1_500)
}

async function showBoard() {
  const { entries } = await svc.leaderboards
    .top('gems', { period: 'daily', limit: 3 })
    .catch(() => ({ entries: [] }))
  $('board-title').hidden = entries.length === 0
  $('board').replaceChildren(
    ...entries.map(({ displayName, value }) => chip(displayName ?? 'A player', value, '#b58cff')),
  )
}

// After a reload, take the seat back if the game still runs.
const seat = await svc.rooms.resume<Arena>().catch(() => null)
if (seat) enter(seat)
else home()
requestAnimationFrame(frame)
