// The parts of the page around the field: scores, time, panel. No rules of the game.
import type { Svc } from '@svc/sdk'

import type { Result } from '../functions/src/index.ts'
import { ENERGY_MAX, RATE, ROUND_SECONDS, type World } from '../shared/step.ts'
import { COLORS, type Drawn } from './draw.ts'

const $ = <T extends HTMLElement>(id: string) => document.getElementById(id) as T
const button = $<HTMLButtonElement>('play')
const dashButton = $<HTMLButtonElement>('dash')

/** Before a game and after it. With `svc` it also shows today's best players. */
export function showPanel(title: string, text: string, action: string, onClick: () => unknown, svc?: Svc) {
  document.body.classList.remove('playing')
  $('panel').hidden = button.hidden = false
  $('title').textContent = title
  $('text').textContent = text
  $('places').replaceChildren()
  button.textContent = action
  button.onclick = onClick
  if (svc) void showBoard(svc)
}

export function showGame() {
  document.body.classList.add('playing')
  $('panel').hidden = true
  button.blur()
}

let shownScores = ''
export function showScores({ left }: World, balls: readonly Drawn[]) {
  dashButton.disabled = !balls.some(({ isMe, energy }) => isMe && energy === ENERGY_MAX)
  const seconds = Math.min(ROUND_SECONDS, Math.ceil(left / RATE))
  const text = JSON.stringify([seconds, balls.map(({ gems, name, isAway }) => [gems, name, isAway])])
  if (text === shownScores) return
  shownScores = text
  $('time').textContent = String(seconds)
  $('time').classList.toggle('last', seconds <= 10)
  const chips = balls
    .toSorted((a, b) => a.color - b.color)
    .map((ball) => chip(ball.isMe ? 'you' : ball.name, ball.gems, COLORS[ball.color], ball))
  $('scores').replaceChildren(...chips)
}

export function showResult({ winner, places }: Result, svc: Svc, again: () => unknown) {
  const name = places.find(({ id }) => id === winner)?.name ?? ''
  const title = winner === svc.player.id ? 'You win!' : winner === null ? 'A draw' : `${name} wins`
  showPanel(title, 'The server has counted, and reported the result.', 'Play again', again)
  $('time').textContent = ''
  const chips = places.map(({ id, name, gems, color }) => {
    const isMe = id === svc.player.id
    return chip(isMe ? 'you' : name, gems, COLORS[color], { isMe })
  })
  $('places').replaceChildren(...chips)
  // A leaderboard may be a second old.
  setTimeout(() => void showBoard(svc), 1_500)
}

async function showBoard(svc: Svc) {
  const { entries } = await svc.leaderboards
    .top('gems', { period: 'daily', limit: 3 })
    .catch(() => ({ entries: [] }))
  $('board-title').hidden = entries.length === 0
  const chips = entries.map(({ displayName, value }) => chip(displayName ?? 'A player', value, '#b58cff'))
  $('board').replaceChildren(...chips)
}

function chip(name: string, value: number, color = '#93a0c4', { isMe = false, isAway = false } = {}) {
  const item = document.createElement('li')
  item.className = `chip${isMe ? ' me' : ''}${isAway ? ' away' : ''}`
  item.style.setProperty('--color', color)
  item.append(Object.assign(document.createElement('span'), { textContent: name }))
  item.append(Object.assign(document.createElement('b'), { textContent: value }))
  return item
}
