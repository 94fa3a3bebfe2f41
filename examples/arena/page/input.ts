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
const STICK_RADIUS = 50

/** What the player presses: keys, or a finger that drags. `read` returns the next input for the room. */
export function createInput(stick: HTMLElement, dashButton: HTMLElement) {
  const keys = new Set<string>()
  let finger: { id: number; x: number; y: number; dx: number; dy: number } | undefined
  let wantsDash = false
  const dash = () => (wantsDash = true)

  addEventListener('keydown', (event) => {
    if (event.code === 'Space' && !event.repeat) dash()
    if (event.code in DIRECTIONS) keys.add(event.code)
    if (event.code in DIRECTIONS || (event.code === 'Space' && event.target === document.body))
      event.preventDefault()
  })
  addEventListener('keyup', (event) => keys.delete(event.code))
  addEventListener('blur', () => keys.clear())

  dashButton.addEventListener('pointerdown', dash)
  addEventListener('pointerdown', (event) => {
    if (finger || (event.target as Element).closest('button, #panel')) return
    finger = { id: event.pointerId, x: event.clientX, y: event.clientY, dx: 0, dy: 0 }
    stick.style.left = `${finger.x}px`
    stick.style.top = `${finger.y}px`
    showStick()
  })
  addEventListener('pointermove', (event) => {
    if (finger?.id !== event.pointerId) return
    const [x, y] = [(event.clientX - finger.x) / STICK_RADIUS, (event.clientY - finger.y) / STICK_RADIUS]
    const length = Math.max(1, Math.hypot(x, y))
    finger.dx = x / length
    finger.dy = y / length
    showStick()
  })
  for (const name of ['pointerup', 'pointercancel'] as const)
    addEventListener(name, (event) => {
      if (finger?.id !== event.pointerId) return
      finger = undefined
      showStick()
    })

  function showStick() {
    stick.hidden = finger === undefined
    stick.style.setProperty('--x', `${(finger?.dx ?? 0) * STICK_RADIUS}px`)
    stick.style.setProperty('--y', `${(finger?.dy ?? 0) * STICK_RADIUS}px`)
  }

  return {
    read(): Input {
      let [dx, dy] = [finger?.dx ?? 0, finger?.dy ?? 0]
      for (const key of keys) {
        const [x = 0, y = 0] = DIRECTIONS[key] ?? []
        dx += x
        dy += y
      }
      const input = { dx: Math.round(dx * 100) / 100, dy: Math.round(dy * 100) / 100, dash: wantsDash }
      wantsDash = false
      return input
    },
  }
}
