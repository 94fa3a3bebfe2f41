import { type Patch, setMember, type State } from '../realtime/patches.ts'

const isObject = (value: unknown): value is State =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object at the key, which is created if there is none. */
function objectAt(state: State, key: string): State {
  const current = Object.hasOwn(state, key) ? state[key] : undefined
  if (isObject(current)) return current
  const created: State = {}
  setMember(state, key, created)
  return created
}

/** Applies a JSON merge patch in place: objects are merged, null deletes a key, everything else is replaced. */
export function merge(state: State, patch: Patch) {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete state[key]
    else if (isObject(value)) merge(objectAt(state, key), value)
    else setMember(state, key, value)
  }
}

/** Makes `state` equal to `wanted` without sharing anything with it. Objects that are in both stay the same objects. */
export function become(state: State, wanted: State) {
  for (const key of Object.keys(state)) if (!Object.hasOwn(wanted, key)) delete state[key]
  for (const [key, value] of Object.entries(wanted)) {
    if (isObject(value)) become(objectAt(state, key), value)
    else setMember(state, key, copyOf(value))
  }
}

/** A deep copy of JSON. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isObject(value)) return value
  const copy: State = {}
  become(copy, value)
  return copy
}

/** The value on the way from one to another: numbers are interpolated, everything else changes at the end. */
export function between(from: unknown, to: unknown, part: number): unknown {
  if (typeof from === 'number' && typeof to === 'number') return from + (to - from) * part
  if (!isObject(from) || !isObject(to)) return copyOf(from)
  return mapMembers(from, (value, key) => between(value, Object.hasOwn(to, key) ? to[key] : value, part))
}

/** Whether a number in the two differs by more than `most`. */
export function differsBy(most: number, from: unknown, to: unknown): boolean {
  if (typeof from === 'number' && typeof to === 'number') return Math.abs(to - from) > most
  if (!isObject(from) || !isObject(to)) return false
  return Object.keys(from).some((key) => Object.hasOwn(to, key) && differsBy(most, from[key], to[key]))
}

/** An object with the same keys. */
export function mapMembers(state: State, change: (value: unknown, key: string) => unknown): State {
  const mapped: State = {}
  for (const [key, value] of Object.entries(state)) setMember(mapped, key, change(value, key))
  return mapped
}
