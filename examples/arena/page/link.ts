// What the corner of the page says about the network. The game does not need it.
import type { Room } from '@svc/sdk'

import type { Arena } from '../functions/src/index.ts'
import type { Point } from '../shared/step.ts'

const $ = (id: string) => document.getElementById(id) as HTMLElement
const PAUSE_MS = 1_000

/** Counts how often the room puts the own ball elsewhere than this page has predicted, and measures the round trip of a call. */
export function watchLink(room: Room<Arena>, myBall: () => Point | undefined) {
  let place: string | undefined
  let corrections = 0
  let isOpen = true
  const moved = () => {
    const ball = myBall()
    place = ball && `${ball.x} ${ball.y}`
  }

  room.on('sync', () => {
    const before = place
    moved()
    if (before && place && before !== place) corrections++
    $('corrections').textContent = `${corrections} ${corrections === 1 ? 'correction' : 'corrections'}`
  })
  room.on('closed', () => (isOpen = false))
  void measure()

  /** A call returns what the handler of the room returns. */
  async function measure() {
    while (isOpen) {
      const start = performance.now()
      await room.call('ping').catch(() => {})
      $('ms').textContent = `${Math.round(performance.now() - start)} ms`
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  return { moved }
}
