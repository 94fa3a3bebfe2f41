import type { RoomTurn } from '@svc/contract/realtime/code-rooms'
import { useEffect, useState } from 'preact/hooks'

import { isShortcut } from '../../../ui/keys.ts'
import { nextStop, type Stops } from './stops.ts'

/** A pause between two turns is not longer than this. */
const WAIT_MS_MAX = 1_000

export type Playback = {
  /** How many turns have happened; 0 is before the first. */
  count: number
  isPlaying: boolean
  go: (count: number) => void
  toggle: () => void
}

/** Which turn is shown: chosen by a person, by keys, or played as fast as it happened. */
export function usePlayback(turns: readonly RoomTurn[], stops: Stops): Playback {
  const last = turns.length
  const [count, setCount] = useState(last)
  const [isPlaying, setPlaying] = useState(false)
  const go = (to: number) => {
    setPlaying(false)
    setCount(Math.min(Math.max(to, 0), last))
  }
  const toggle = () => {
    if (!isPlaying && count === last) setCount(0)
    setPlaying(!isPlaying)
  }
  useEffect(() => go(last), [turns])

  useEffect(() => {
    if (!isPlaying) return undefined
    if (count === last) return setPlaying(false)
    const waitMs = (turns[count]?.at ?? 0) - (turns[count - 1]?.at ?? Infinity)
    const timer = setTimeout(() => setCount(count + 1), Math.min(Math.max(waitMs, 0), WAIT_MS_MAX))
    return () => clearTimeout(timer)
  }, [isPlaying, count])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event) && !isSlider(event.target)) return
      // A focused button is pressed by it.
      if (event.key === ' ' && event.target instanceof Element && event.target.closest('button, a, summary'))
        return
      const act = {
        ArrowLeft: () => go(event.shiftKey ? (nextStop(stops, count, -1) ?? count) : count - 1),
        ArrowRight: () => go(event.shiftKey ? (nextStop(stops, count, 1) ?? count) : count + 1),
        Home: () => go(0),
        End: () => go(last),
        ' ': toggle,
      }[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return { count, isPlaying, go, toggle }
}

const isSlider = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && target.type === 'range'
