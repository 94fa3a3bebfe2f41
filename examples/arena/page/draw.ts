import {
  type Ball,
  ENERGY_MAX,
  FIELD,
  GEM_RADIUS,
  type Gem,
  isDashing,
  PILLARS,
  RADIUS,
} from '../shared/step.ts'

export const COLORS = ['#4fd1ff', '#ff7a8a', '#ffc857', '#7ee787']

export type Drawn = { ball: Ball; name: string; isMe: boolean; isAway: boolean }

/** Draws the arena to fill its stage; one unit of the field is the same on every screen. */
export function createDrawing(canvas: HTMLCanvasElement) {
  const context = canvas.getContext('2d') as CanvasRenderingContext2D

  function fit() {
    const { clientWidth, clientHeight } = canvas.parentElement as HTMLElement
    const size = Math.max(100, Math.min(clientWidth, clientHeight))
    const pixels = Math.round(size * devicePixelRatio)
    if (canvas.width !== pixels) canvas.width = canvas.height = pixels
    canvas.style.width = canvas.style.height = `${size}px`
    const scale = pixels / FIELD
    context.setTransform(scale, 0, 0, scale, 0, 0)
    return size / FIELD
  }

  function disc(x: number, y: number, radius: number, fill: string | CanvasGradient) {
    context.beginPath()
    context.arc(x, y, radius, 0, Math.PI * 2)
    context.fillStyle = fill
    context.fill()
  }

  function drawField() {
    context.fillStyle = '#121a30'
    context.fillRect(0, 0, FIELD, FIELD)
    context.strokeStyle = '#ffffff0d'
    context.lineWidth = 2
    for (let at = 100; at < FIELD; at += 100) {
      context.strokeRect(at, -2, 0, FIELD + 4)
      context.strokeRect(-2, at, FIELD + 4, 0)
    }
    for (const { x, y, radius } of PILLARS) {
      disc(x, y + 8, radius, '#0006')
      const shade = context.createRadialGradient(x - radius / 3, y - radius / 3, 0, x, y, radius)
      shade.addColorStop(0, '#3d4c78')
      shade.addColorStop(1, '#28345a')
      disc(x, y, radius, shade)
    }
  }

  function drawGem({ x, y, worth }: Gem, now: number) {
    const size = GEM_RADIUS * (worth > 1 ? 1.5 : 1) * (1 + 0.08 * Math.sin(now / 250 + x))
    context.shadowColor = context.fillStyle = worth > 1 ? '#ffd84d' : '#b58cff'
    context.shadowBlur = 18
    context.beginPath()
    context.moveTo(x, y - size * 1.25)
    context.lineTo(x + size, y)
    context.lineTo(x, y + size * 1.25)
    context.lineTo(x - size, y)
    context.fill()
    context.shadowBlur = 0
  }

  function drawBall({ ball, name, isMe, isAway }: Drawn, unit: number) {
    const { x, y, energy, gems, color } = ball
    const fill = COLORS[color] ?? '#fff'
    context.globalAlpha = isAway ? 0.35 : 1
    if (isDashing(ball)) disc(x, y, RADIUS * 1.55, `${fill}55`)
    disc(x, y + 5, RADIUS, '#0006')
    disc(x, y, RADIUS, fill)
    if (isMe) {
      context.beginPath()
      context.arc(x, y, RADIUS + 8, -Math.PI / 2, -Math.PI / 2 + (Math.PI * 2 * energy) / ENERGY_MAX)
      context.strokeStyle = '#fff'
      context.lineWidth = 5
      context.stroke()
    }
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.fillStyle = '#0d1220'
    context.font = '700 30px system-ui, sans-serif'
    context.fillText(String(gems), x, y + 1)
    // Names stay readable on a small screen.
    context.font = `600 ${Math.max(22, 12 / unit)}px system-ui, sans-serif`
    context.fillStyle = '#eef2ff'
    const text = isMe ? 'you' : name
    const half = context.measureText(text).width / 2 + 8
    const inside = Math.min(FIELD - half, Math.max(half, x))
    context.fillText(text, inside, y < 90 ? y + RADIUS + 28 : y - RADIUS - 26)
    context.globalAlpha = 1
  }

  return function draw(gems: Gem[], balls: Drawn[], overlay: string) {
    const unit = fit()
    drawField()
    for (const gem of gems) drawGem(gem, performance.now())
    for (const ball of balls) drawBall(ball, unit)
    if (overlay === '') return
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.font = '800 260px system-ui, sans-serif'
    context.fillStyle = '#ffffffe0'
    context.fillText(overlay, FIELD / 2, FIELD / 2)
  }
}
