import { $, element } from './page'

export const FLOOR_HEIGHT = 30
const FIRST_WIDTH = 140
const REACH = 150 // how far the moving floor goes from the middle
const PERFECT = 5 // pixels that still count as exact

/** `x` is the middle of the floor. */
type Floor = { x: number; width: number; level: number; speed: number; element: HTMLElement }

/** From the bottom to the top. */
let floors: Floor[] = []
/** The floor that is not dropped yet. */
let moving: Floor | undefined
/** Perfect floors in a row. */
let streak = 0

export const score = (): number => floors.length - 1
export const isBuilding = (): boolean => moving !== undefined

/** A finished tower, for the title. */
export function showTower(): void {
  for (let width = FIRST_WIDTH; width > 70; width -= 8) floors.push(addFloor(width % 3, width))
  addLamp()
}

export function startTower(): void {
  $('tower').replaceChildren()
  streak = 0
  floors = []
  floors.push(addFloor(0, FIRST_WIDTH))
  nextFloor(topFloor())
  let before = performance.now()
  requestAnimationFrame(function frame(now) {
    if (!moving) return
    // On a slow device the floor moves slower, but it never jumps.
    move(moving, Math.min(now - before, 50) / 1_000)
    before = now
    requestAnimationFrame(frame)
  })
}

/** How many floors in a row are perfect now; undefined if the floor fell into the sea, which ends the game. */
export function dropFloor(): number | undefined {
  if (!moving) return undefined
  const below = topFloor()
  const offset = moving.x - below.x
  if (Math.abs(offset) >= below.width) return endTower(moving)
  streak = Math.abs(offset) < PERFECT ? streak + 1 : 0
  if (streak > 0) {
    moving.x = below.x
    moving.element.classList.add('perfect')
  } else {
    cut(moving, below, offset)
  }
  if (streak === 3) moving.width = Math.min(moving.width + 20, FIRST_WIDTH)
  floors.push(draw(moving))
  nextFloor(moving)
  return streak
}

function topFloor(): Floor {
  const top = floors.at(-1)
  if (!top) throw new Error('There is no tower yet.')
  return top
}

function addFloor(x: number, width: number): Floor {
  const level = floors.length
  const made = element('div', '', level % 2 ? 'floor red' : 'floor')
  $('tower').append(made)
  return draw({ x, width, level, speed: 0, element: made })
}

function draw(floor: Floor): Floor {
  const { x, width, level, element: drawn } = floor
  drawn.style.width = `${width}px`
  drawn.style.transform = `translate(${x - width / 2}px, ${-level * FLOOR_HEIGHT}px)`
  drawn.classList.toggle('narrow', width < 24)
  return floor
}

/** The next floor comes from the left or the right, faster than the last one. */
function nextFloor(below: Floor): void {
  const side = floors.length % 2 ? -1 : 1
  moving = addFloor(side * REACH, below.width)
  moving.speed = -side * Math.min(160 + score() * 7, 420)
}

function move(floor: Floor, seconds: number): void {
  floor.x += floor.speed * seconds
  if (Math.abs(floor.x) > REACH) {
    floor.x = Math.sign(floor.x) * REACH
    floor.speed *= -1
  }
  draw(floor)
}

/** What does not lie on the floor below falls into the sea. */
function cut(floor: Floor, below: Floor, offset: number): void {
  const side = Math.sign(offset)
  const piece = Math.abs(offset)
  floor.width = below.width - piece
  floor.x = below.x + offset / 2
  fall(addFloor(floor.x + (side * below.width) / 2, piece), side)
}

function fall({ element: falling }: Floor, side: number): void {
  falling.classList.add('falling')
  falling.getBoundingClientRect() // without this, nothing would move
  falling.style.translate = `${side * 60}px 500px`
  falling.style.rotate = `${side * 70}deg`
  setTimeout(() => falling.remove(), 900)
}

function endTower(last: Floor): undefined {
  fall(last, Math.sign(last.x))
  moving = undefined
  addLamp()
}

function addLamp(): void {
  const { x, level } = topFloor()
  const lamp = element('div')
  lamp.id = 'lamp'
  lamp.append(element('div', '', 'beam'), element('div', '', 'beam'))
  lamp.style.transform = `translate(${x}px, ${-(level + 1) * FLOOR_HEIGHT}px)`
  $('tower').append(lamp)
}
