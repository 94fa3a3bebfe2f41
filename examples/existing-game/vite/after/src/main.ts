import './style.css'
import { goOnline, stayOffline, submit } from './cloud'
import { $, element } from './page'
import { currentSave, keep, onKeep } from './save'
import { play } from './sound'
import { dropFloor, FLOOR_HEIGHT, isBuilding, score, showTower, startTower } from './tower'

const LAMPS = ['#ffd666', '#7df0cf', '#ff9ac0', '#9db9ff', '#f6f3ff']

// --- what the page shows

function showSave(): void {
  const { best, lamp } = currentSave()
  $('best').textContent = best > 0 ? `Best ${best}` : ''
  document.body.style.setProperty('--light', LAMPS[lamp] ?? null)
  $('lamps').replaceChildren(...LAMPS.map(lampButton))
}

function lampButton(color: string, at: number): HTMLElement {
  const { lamps, lamp } = currentSave()
  const button = element('button') as HTMLButtonElement
  button.style.setProperty('--color', color)
  button.disabled = at >= lamps
  button.ariaLabel = button.disabled ? 'Locked lamp' : `Lamp ${at + 1}`
  button.ariaPressed = String(at === lamp)
  button.onclick = () => keep({ lamp: at })
  return button
}

/** The camera follows the top of the tower, and keeps it above the panel. */
function look(): void {
  const zoom = Math.min(Math.max(innerHeight / 800, 0.6), 1.5)
  const top = (130 + score() * FLOOR_HEIGHT) * zoom
  const down = isBuilding()
    ? Math.max(top - innerHeight * 0.42, 0)
    : top - Math.min($('panel').offsetHeight + 170 * zoom, innerHeight * 0.7)
  $('world').style.scale = String(zoom)
  $('world').style.translate = `0 ${down}px`
  $('sky').style.translate = `0 ${Math.min(score() * 3, 200)}vh`
}

// --- a game

function start(): void {
  $('panel').hidden = true
  startTower()
  showScore('')
}

function showScore(praise: string): void {
  $('score').textContent = String(score())
  $('praise').textContent = praise
  look()
}

function drop(): void {
  const streak = dropFloor()
  if (streak === undefined) return end()
  play(streak > 0 ? 4 + streak * 2 : 0)
  showScore(streak > 1 ? `${streak} perfect` : streak > 0 ? 'Perfect!' : '')
  if (streak === 3) winLamp()
}

function winLamp(): void {
  const { lamps } = currentSave()
  if (lamps === LAMPS.length) return
  $('praise').textContent = 'You won a new lamp!'
  keep({ lamps: lamps + 1, lamp: lamps })
}

function end(): void {
  const isBest = score() > currentSave().best
  if (isBest) keep({ best: score() })
  submit(score()).catch(stayOffline)
  play(-8)
  $('praise').textContent = ''
  $('result').textContent = isBest ? `${score()} floors, your new best!` : `${score()} floors`
  $('about').hidden = score() > 3
  $('start').textContent = 'Build again'
  $('panel').hidden = false
  look()
}

// --- the buttons

$('start').onclick = start
$('game').onpointerdown = () => isBuilding() && drop()
addEventListener('keydown', (event) => {
  // A focused button or input gets its own keys.
  if (event.code !== 'Space' || event.repeat || event.target !== document.body) return
  event.preventDefault()
  if (isBuilding()) drop()
  else start()
})
addEventListener('resize', look)
onKeep(showSave)

showTower()
showSave()
look()
goOnline().catch(stayOffline)
