import { type Credentials, reserveColyseusSeat } from './dialects.ts'
import { openSocket, type Socket } from './websocket.ts'

/** A player of a game whose rooms run code. */
export type Seat = Credentials & { port: number; game: Game; room: string; isFirst: boolean }
export type Game = 'arena' | 'quiz'

export type GamePlayer = {
  /** Direction of the player, each -1, 0 or 1. */
  move(dx: number, dy: number): void
  /** Asks the room for an answer; `onReply` gets the same `id`, from `FIRST_ASK` on. */
  ask(id: number): void
  leave(): Promise<void>
}
export type GameEvents = {
  /** The state has changed. The protocol of Colyseus has no `tick`. */
  onSync(bytes: number, tick: number | undefined): void
  onReply(id: number): void
}

/** Colyseus encodes numbers from here on in the same number of bytes. */
export const FIRST_ASK = 65_536

export type GameDialectName = keyof typeof GAME_DIALECTS

/** The protocols of the game. Each connects, joins, and resolves when the player is in the room. */
export const GAME_DIALECTS = {
  svc,
  colyseus: (seat: Seat, events: GameEvents) => colyseus(seat, events, false),
  colyseusInputs: (seat: Seat, events: GameEvents) => colyseus(seat, events, true),
} satisfies Record<string, (seat: Seat, events: GameEvents) => Promise<GamePlayer>>

const SYNC = '{"t":"sync","tick":'
const REPLY = '{"t":"reply","rid":'
/** Rooms of the service by our names for them: codes of one's own are limited. */
const roomIds = new Map<string, string>()

async function svc(
  { port, game, room, isFirst, key, token }: Seat,
  { onSync, onReply }: GameEvents,
): Promise<GamePlayer> {
  const joined = Promise.withResolvers<void>()
  let hasJoined = false
  let seq = 0
  const socket = await openSocket(port, '/v1/realtime', (payload) => {
    if (startsWith(payload, SYNC)) onSync(framed(payload), numberAt(payload, SYNC.length))
    else if (!startsWith(payload, REPLY)) return
    else if (hasJoined) onReply(numberAt(payload, REPLY.length))
    else if (payload.includes('"ok":true')) {
      const { data } = JSON.parse(payload.toString()) as { data: { room: { id: string } } }
      roomIds.set(room, data.room.id)
      joined.resolve()
    } else joined.reject(new Error(`refused: ${payload.toString()}`))
  })
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  send({ t: 'auth', key, token })
  send(
    isFirst
      ? { t: 'create', rid: 1, mode: game, private: true }
      : { t: 'join', rid: 1, roomId: roomIds.get(room) },
  )
  await joined.promise
  hasJoined = true
  return {
    move: (dx, dy) => socket.send(`{"t":"send","type":"move","seq":${++seq},"data":{"dx":${dx},"dy":${dy}}}`),
    ask: (id) => socket.send(`{"t":"send","rid":${id},"type":"answer","data":{"choice":${id & 3}}}`),
    leave: () => leave(socket, '{"t":"leave"}'),
  }
}

const [JOIN_ROOM, LEAVE_ROOM, ROOM_DATA, ROOM_PATCH, ROOM_INPUT, ROOM_REQUEST, ROOM_RESPONSE] = [
  10, 12, 13, 15, 19, 21, 22,
]
const CODE_MASK = 0x1f
/** `move` and `{ dx:`, `dy:` in MessagePack. */
const MOVE_HEAD = Buffer.from('\xa4move\x82\xa2dx', 'latin1')
const MOVE_MIDDLE = Buffer.from('\xa2dy', 'latin1')
const ANSWER = Buffer.from('\xa6answer\x81\xa6choice', 'latin1')
/** Sets the first and the second field of a schema. */
const [SET_DX, SET_DY] = [0x80, 0x81]
const UINT32 = 0xce

async function colyseus(
  { port, game, room, token }: Seat,
  { onSync, onReply }: GameEvents,
  hasInputs: boolean,
): Promise<GamePlayer> {
  const name = game === 'arena' && hasInputs ? 'arena-inputs' : game
  const path = await reserveColyseusSeat(port, name, room, token)
  const joined = Promise.withResolvers<void>()
  const socket = await openSocket(port, path, (payload, opened) => {
    const code = (payload[0] ?? 0) & CODE_MASK
    if (code === ROOM_PATCH) onSync(framed(payload), undefined)
    else if (code === ROOM_RESPONSE) onReply(payload.readUInt32LE(2))
    else if (code === JOIN_ROOM) {
      opened.send(Buffer.of(JOIN_ROOM))
      joined.resolve()
    }
  })
  await joined.promise

  let [lastDx, lastDy] = [Number.NaN, Number.NaN]
  /** Only the fields that have changed, like the client library. */
  function sendInput(dx: number, dy: number) {
    const fields = [...(dx === lastDx ? [] : [SET_DX, dx]), ...(dy === lastDy ? [] : [SET_DY, dy])]
    lastDx = dx
    lastDy = dy
    socket.send(Buffer.of(ROOM_INPUT, ...fields))
  }
  return {
    move: hasInputs
      ? sendInput
      : (dx, dy) =>
          socket.send(
            Buffer.concat([Buffer.of(ROOM_DATA), MOVE_HEAD, Buffer.of(dx), MOVE_MIDDLE, Buffer.of(dy)]),
          ),
    ask(id) {
      const number = Buffer.alloc(6)
      number.set([ROOM_REQUEST, UINT32])
      number.writeUInt32LE(id, 2)
      socket.send(Buffer.concat([number, ANSWER, Buffer.of(id & 3)]))
    },
    leave: () => leave(socket, Buffer.of(LEAVE_ROOM)),
  }
}

function leave(socket: Socket, message: string | Buffer): Promise<void> {
  socket.send(message)
  return socket.close()
}

const startsWith = (payload: Buffer, text: string) => payload.toString('latin1', 0, text.length) === text

function numberAt(payload: Buffer, from: number): number {
  let value = 0
  for (let at = from; ; at++) {
    const digit = (payload[at] ?? 0) - 48
    if (digit < 0 || digit > 9) return value
    value = value * 10 + digit
  }
}

/** The bytes of a message with the head of its frame. */
const framed = ({ length }: Buffer) => length + (length < 126 ? 2 : 4)
