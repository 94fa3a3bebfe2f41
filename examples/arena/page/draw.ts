import {
  type Ball,
  ENERGY_MAX,
  FIELD,
  GEM_RADIUS,
  type Gem,
  isDashing,
  PILLARS,
  RADIUS,
  RATE,
  ROUND_SECONDS,
  type World,
} from '../shared/step.ts'

export const COLORS = ['#43c6ff', '#ff6b81', '#ffc145', '#6ee787']
const GEM_COLORS = { 1: '#b58cff', 3: '#ffd84d' }

/** A ball where it is drawn, which is between two places that the room knows. */
export type Drawn = Ball & { id: string; isMe: boolean; isAway: boolean }

/** Something that flies for a moment: a spark, or a text such as "+1". */
type Flying = { x: number; y: number; vx: number; vy: number; color: string; text: string; bornMs: number }
const FLIGHT_MS = 700
const IDLE = { name: '', bot: true, energy: ENERGY_MAX, gems: 0, robbedAt: 0, isMe: false, isAway: false }

/** Draws the arena to fill its canvas; one unit of the field is the same on every screen. */
export function createDrawing() {
  const canvas = document.getElementById('field') as HTMLCanvasElement
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  const floor = document.createElement('canvas')
  let flying: Flying[] = []
  let gemsBefore: Record<string, number> = {}
  const trails: Record<string, { x: number; y: number }[]> = {}
  let shakeUntilMs = 0

  /** Returns how many pixels of the page one unit has. */
  function fit(): number {
    const pixels = Math.max(100, Math.round(canvas.clientWidth * devicePixelRatio))
    if (canvas.width !== pixels) {
      canvas.width = canvas.height = floor.width = floor.height = pixels
      drawFloor(floor, pixels / FIELD)
    }
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(floor, 0, 0)
    context.setTransform(pixels / FIELD, 0, 0, pixels / FIELD, 0, 0)
    return canvas.clientWidth / FIELD
  }

  function glow(x: number, y: number, radius: number, color: string) {
    const light = context.createRadialGradient(x, y, 0, x, y, radius)
    light.addColorStop(0, `${color}80`)
    light.addColorStop(1, `${color}00`)
    disc(context, x, y, radius, light)
  }

  function drawGem({ x, y, worth }: Gem, nowMs: number) {
    const size = GEM_RADIUS * (worth > 1 ? 1.35 : 1)
    const top = y - 3 * Math.sin(nowMs / 300 + x)
    const color = worth > 1 ? GEM_COLORS[3] : GEM_COLORS[1]
    glow(x, top, size * 2.6, color)
    const half = size * Math.cos(nowMs / 500 + y)
    for (const [side, shade] of [
      [-size, '#ffffff00'],
      [size, '#00000038'],
    ] as const) {
      path([
        [x, top - size * 1.3],
        [x + side, top],
        [x, top + size * 1.3],
        [x + half * 0.5, top],
      ])
      context.fillStyle = color
      context.fill()
      context.fillStyle = shade
      context.fill()
    }
    path([
      [x, top - size * 1.3],
      [x + half * 0.5, top],
      [x - size, top],
    ])
    context.fillStyle = '#ffffff59'
    context.fill()
  }

  function path(points: readonly (readonly [x: number, y: number])[]) {
    context.beginPath()
    for (const [x, y] of points) context.lineTo(x, y)
    context.closePath()
  }

  function drawTrail({ id, x, y, color }: Drawn) {
    const trail = (trails[id] ??= [])
    trail.push({ x, y })
    if (trail.length > 14) trail.shift()
    for (const [age, at] of trail.entries()) {
      context.globalAlpha = (age / trail.length) * 0.16
      disc(context, at.x, at.y, RADIUS * (0.4 + (0.6 * age) / trail.length), COLORS[color] ?? '#fff')
    }
    context.globalAlpha = 1
  }

  function drawBall(ball: Drawn, isFirst: boolean) {
    const { x, y, dx, dy, energy, color, isMe, isAway } = ball
    const fill = COLORS[color] ?? '#fff'
    context.globalAlpha = isAway ? 0.35 : 1
    if (isDashing(ball)) glow(x, y, RADIUS * 2.4, fill)
    disc(context, x, y + 8, RADIUS, '#0005')
    disc(context, x, y, RADIUS, fill)
    const light = context.createRadialGradient(x - 12, y - 14, 2, x, y, RADIUS)
    light.addColorStop(0, '#ffffff8c')
    light.addColorStop(0.5, '#ffffff00')
    light.addColorStop(1, '#00000040')
    disc(context, x, y, RADIUS, light)
    // The eyes look to where the ball goes.
    for (const side of [-1, 1]) {
      const [eyeX, eyeY] = [x + dx * 10 + side * 11, y + dy * 10 - 4]
      disc(context, eyeX, eyeY, 9, '#fff')
      disc(context, eyeX + dx * 4, eyeY + dy * 4, 4.5, '#131a2e')
    }
    if (isFirst) drawCrown(x, y - RADIUS + 2)
    if (isMe) {
      context.lineWidth = 6
      context.lineCap = 'round'
      context.strokeStyle = energy === ENERGY_MAX ? '#fff' : '#ffffff80'
      context.beginPath()
      context.arc(x, y, RADIUS + 10, -Math.PI / 2, -Math.PI / 2 + (Math.PI * 2 * energy) / ENERGY_MAX)
      context.stroke()
    }
    context.globalAlpha = 1
  }

  function drawCrown(x: number, y: number) {
    path([
      [x - 18, y + 4],
      [x - 21, y - 18],
      [x - 9, y - 8],
      [x, y - 23],
      [x + 9, y - 8],
      [x + 21, y - 18],
      [x + 18, y + 4],
    ])
    context.fillStyle = '#ffd84d'
    context.fill()
  }

  function drawName({ x, y, name, isMe }: Drawn, unit: number) {
    // Readable on a small screen, too.
    const size = Math.max(24, 11 / unit)
    context.font = `600 ${size}px system-ui, sans-serif`
    const text = isMe ? 'you' : name
    const half = context.measureText(text).width / 2 + 8
    const inside = Math.min(FIELD - half, Math.max(half, x))
    const below = y + RADIUS + 18 + size / 2
    write(text, inside, below > FIELD - size ? y - RADIUS - 30 : below, '#eef2ffcc')
  }

  function write(text: string, x: number, y: number, color: string) {
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.lineWidth = 6
    context.lineJoin = 'round'
    context.strokeStyle = '#0b1020b3'
    context.strokeText(text, x, y)
    context.fillStyle = color
    context.fillText(text, x, y)
  }

  function burst({ x, y }: { x: number; y: number }, color: string, text: string, nowMs: number) {
    for (let n = 0; n < 10; n++) {
      const [vx, vy] = [Math.cos(n * 0.63) * 130, Math.sin(n * 0.63) * 130]
      flying.push({ x, y, vx, vy, color, text: '', bornMs: nowMs })
    }
    flying.push({ x, y: y - RADIUS, vx: 0, vy: -80, color, text, bornMs: nowMs })
  }

  function drawFlying(nowMs: number) {
    flying = flying.filter(({ bornMs }) => nowMs - bornMs < FLIGHT_MS)
    for (const { x, y, vx, vy, color, text, bornMs } of flying) {
      const age = (nowMs - bornMs) / FLIGHT_MS
      const way = 1 - (1 - age) ** 2
      context.globalAlpha = 1 - age
      context.font = '800 44px system-ui, sans-serif'
      if (text) write(text, x, y + vy * way, color)
      else disc(context, x + vx * way, y + vy * way, 7 * (1 - age), color)
    }
    context.globalAlpha = 1
  }

  /** Everything that changed in the score since the last frame flies up from its ball. */
  function celebrate(balls: readonly Drawn[], nowMs: number) {
    for (const ball of balls) {
      const change = ball.gems - (gemsBefore[ball.id] ?? ball.gems)
      if (change !== 0)
        burst(ball, COLORS[ball.color] ?? '#fff', change > 0 ? `+${change}` : String(change), nowMs)
    }
    gemsBefore = Object.fromEntries(balls.map(({ id, gems }) => [id, gems]))
  }

  return {
    /** Somebody has taken a gem from this player: the field shakes. */
    shake: () => (shakeUntilMs = performance.now() + 250),

    /** Before a game and after it, balls go round behind the panel. */
    idle() {
      const nowMs = performance.now()
      fit()
      for (const [color, fill] of COLORS.entries()) {
        const angle = nowMs / 4_000 + (color * Math.PI) / 2
        const [dx, dy] = [-Math.sin(angle), Math.cos(angle)]
        const ball = { ...IDLE, id: fill, color, x: FIELD / 2 + 425 * dy, y: FIELD / 2 - 425 * dx, dx, dy }
        drawTrail(ball)
        drawBall(ball, false)
        drawGem(
          { x: FIELD / 2 + 425 * (dy - dx) * 0.7, y: FIELD / 2 - 425 * (dx + dy) * 0.7, worth: 1 },
          nowMs,
        )
      }
    },

    world(world: World, balls: readonly Drawn[]) {
      const nowMs = performance.now()
      const unit = fit()
      if (nowMs < shakeUntilMs) context.translate(6 * Math.sin(nowMs / 12), 6 * Math.cos(nowMs / 9))
      for (const gem of Object.values(world.gems)) drawGem(gem, nowMs)
      const most = Math.max(1, ...balls.map(({ gems }) => gems))
      for (const ball of balls) drawTrail(ball)
      for (const ball of balls) drawBall(ball, ball.gems === most)
      for (const ball of balls) drawName(ball, unit)
      celebrate(balls, nowMs)
      drawFlying(nowMs)
      const countdown = Math.ceil(world.left / RATE - ROUND_SECONDS)
      context.font = '800 260px system-ui, sans-serif'
      if (countdown > 0) write(String(countdown), FIELD / 2, FIELD / 2, '#fff')
    },
  }
}

function disc(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  fill: string | CanvasGradient,
) {
  context.beginPath()
  context.arc(x, y, Math.max(0, radius), 0, Math.PI * 2)
  context.fillStyle = fill
  context.fill()
}

/** What never moves is drawn once. */
function drawFloor(floor: HTMLCanvasElement, scale: number) {
  const context = floor.getContext('2d') as CanvasRenderingContext2D
  context.setTransform(scale, 0, 0, scale, 0, 0)
  const light = context.createRadialGradient(FIELD / 2, FIELD / 2, 0, FIELD / 2, FIELD / 2, FIELD * 0.72)
  light.addColorStop(0, '#232f5c')
  light.addColorStop(1, '#10172c')
  context.fillStyle = light
  context.fillRect(0, 0, FIELD, FIELD)
  for (let x = 50; x < FIELD; x += 50)
    for (let y = 50; y < FIELD; y += 50) disc(context, x, y, 2.5, '#ffffff14')
  for (const { x, y, radius } of PILLARS) {
    disc(context, x, y + 16, radius + 2, '#0006')
    disc(context, x, y + 8, radius, '#1b2449')
    disc(context, x, y, radius, '#4a5ba3')
    const shade = context.createLinearGradient(x, y - radius, x, y + radius)
    shade.addColorStop(0, '#3b4a8c')
    shade.addColorStop(1, '#2b3870')
    disc(context, x, y, radius - 6, shade)
  }
}
