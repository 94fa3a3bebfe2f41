import type { Input } from '../shared/step.ts'

/** The keys, by `event.code`: the same places on every keyboard. */
const DIRECTIONS: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  KeyA: [-1, 0],
  KeyD: [1, 0],
  KeyW: [0, -1],
  KeyS: [0, 1],
}
const STICK_RADIUS = 44

const stick = document.getElementById('stick') as HTMLElement
const keys = new Set<string>()
let finger: { id: number; x: number; y: number; dx: number; dy: number } | undefined
let wantsDash = false

/** What the player presses now: keys, or a finger that drags. */
export function readInput(): Input {
  let [dx, dy] = [finger?.dx ?? 0, finger?.dy ?? 0]
  for (const key of keys) {
    const [x = 0, y = 0] = DIRECTIONS[key] ?? []
    dx += x
    dy += y
  }
  const input = { dx: Math.round(dx * 100) / 100, dy: Math.round(dy * 100) / 100, dash: wantsDash }
  wantsDash = false
  return input
}

const isPlaying = () => document.body.classList.contains('playing')

addEventListener('keydown', (event) => {
  if (!isPlaying()) return
  if (event.code === 'Space' && !event.repeat) wantsDash = true
  if (event.code in DIRECTIONS) keys.add(event.code)
  if (event.code in DIRECTIONS || event.code === 'Space') event.preventDefault()
})
addEventListener('keyup', (event) => keys.delete(event.code))
addEventListener('blur', () => keys.clear())

document.getElementById('dash')?.addEventListener('pointerdown', () => (wantsDash = true))
addEventListener('pointerdown', (event) => {
  if (finger || !isPlaying() || (event.target as Element).closest('button')) return
  finger = { id: event.pointerId, x: event.clientX, y: event.clientY, dx: 0, dy: 0 }
  moveStick()
})
addEventListener('pointermove', (event) => {
  if (finger?.id !== event.pointerId) return
  const [x, y] = [(event.clientX - finger.x) / STICK_RADIUS, (event.clientY - finger.y) / STICK_RADIUS]
  const length = Math.max(1, Math.hypot(x, y))
  finger.dx = x / length
  finger.dy = y / length
  moveStick()
})
for (const name of ['pointerup', 'pointercancel'] as const)
  addEventListener(name, (event) => {
    if (finger?.id !== event.pointerId) return
    finger = undefined
    moveStick()
  })

/** The stick is where the finger went down, and at its place in the corner without one. */
function moveStick() {
  stick.style.left = finger ? `${finger.x}px` : ''
  stick.style.top = finger ? `${finger.y}px` : ''
  stick.style.setProperty('--x', `${(finger?.dx ?? 0) * STICK_RADIUS}px`)
  stick.style.setProperty('--y', `${(finger?.dy ?? 0) * STICK_RADIUS}px`)
}
