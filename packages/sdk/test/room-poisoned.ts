// A program of its own, because what it does to the language would disturb all other tests: `room-state.test.ts` reads what it prints.
import { readAnswer } from '../src/room/read-answer.ts'
import { Room, type RoomPlayer } from '../src/room/room.ts'
import { createRooms } from '../src/room/runtime.ts'
import { infoOf } from './room-fixtures.ts'

class Plain extends Room<{ balls: Record<string, { x: number }> }, { coins: number }> {
  override state = { balls: {} as Record<string, { x: number }> }
  override onJoin({ id }: RoomPlayer) {
    this.state.balls[id] = { x: 1 }
    this.own(id).coins = 1
  }
  override messages = {
    poisons: () => poison(),
    moves: ({ id }: RoomPlayer) => {
      const ball = this.state.balls[id]
      if (ball) ball.x++
      this.send('moved', 1, id)
    },
    waits: async () => {
      await Promise.resolve()
      this.state.balls['late'] = { x: 1 }
      return 5
    },
  }
}

/** Keeps what this program itself needs. */
const { stringify } = JSON
const read = readAnswer.bind(null)
const undo: (() => void)[] = []

function replace(target: object, name: string | symbol, value: unknown, enumerable = false) {
  const before = Reflect.getOwnPropertyDescriptor(target, name)
  Reflect.defineProperty(target, name, { value, enumerable, configurable: true, writable: true })
  undo[undo.length] = () =>
    before ? Reflect.defineProperty(target, name, before) : Reflect.deleteProperty(target, name)
}

function poison() {
  const fails = () => {
    throw new Error('replaced by the code')
  }
  replace(Object.prototype, 'toJSON', fails)
  replace(Object.prototype, 'extended', 1, true)
  replace(Array.prototype, 'extended', 1, true)
  for (const name of ['push', 'map', 'forEach', 'join', 'keys', 'includes', Symbol.iterator] as const)
    replace(Array.prototype, name, fails)
  for (const name of ['get', 'set', 'has', 'delete', 'forEach', 'entries', Symbol.iterator] as const)
    replace(Map.prototype, name, fails)
  for (const name of ['then', 'catch', 'finally'] as const) replace(Promise.prototype, name, fails)
  for (const name of ['slice', 'replace', 'split', 'charCodeAt'] as const)
    replace(String.prototype, name, fails)
  for (const name of ['stringify', 'parse'] as const) replace(JSON, name, fails)
  for (const name of ['keys', 'hasOwn', 'freeze', 'defineProperty', 'getPrototypeOf'] as const)
    replace(Object, name, fails)
  replace(globalThis, 'queueMicrotask', fails)
  replace(TextEncoder.prototype, 'encode', fails)
}

const late: string[] = []
const rooms = createRooms({
  classes: { Plain },
  env: {},
  run: (_, work) => work(),
  send: (text) => (late[late.length] = text),
  onError: () => {},
})
const batch = (id: string, turn: number, events: unknown[]) => stringify([[id, turn, 0, events]])
const opening = (id: string) => ['open', 'Plain', null, infoOf(id), 1]

rooms.handle(batch('r1', 1, [opening('r1'), ['join', { id: 'p', displayName: '' }]]))
rooms.handle(batch('r2', 1, [opening('r2'), ['join', { id: 'b', displayName: '' }]]))
const poisons = batch('r1', 2, [['in', 'p', null, 'poisons', null]])
const first = batch('r1', 3, [
  ['join', { id: 'a', displayName: '' }],
  ['in', 'a', 4, 'moves', null],
  ['snap'],
  ['ask', 1, 'a', null, 'waits', null],
  ['inspect', 2],
])
const other = batch('r2', 2, [['in', 'b', null, 'moves', null]])
rooms.handle(poisons)
const firstText = rooms.handle(first)
const otherText = rooms.handle(other)

setTimeout(() => {
  for (let at = undo.length - 1; at >= 0; at--) undo[at]?.()
  const effects = read(firstText)[0]?.effects ?? []
  const kindsOf = (text: string) => [
    ...new Set(read(text).flatMap((one) => one.effects.map(({ kind }) => kind))),
  ]
  const wanted = ['sync', 'own', 'acks', 'joined', 'snap', 'msg', 'reply']
  const found = kindsOf(firstText)
  process.stdout.write(
    stringify({
      kinds: wanted.filter((kind) => found.includes(kind)),
      sync: effects.find(({ kind }) => kind === 'sync')?.payload,
      late: kindsOf(late[0] ?? '[]\n'),
      others: kindsOf(otherText).filter((kind) => kind === 'sync'),
    }),
  )
}, 0)
