import { openSocket } from './websocket.ts'

/** Where somebody takes part. `nowhere`: connected and known, and that is all. */
export type Seat = {
  port: number
  place: 'room' | 'channel' | 'nowhere'
  name: string
  isFirst: boolean
} & Who
/** Whom the server is to take it for. */
export type Who = { key: string; token: string }

export type Member = { say(text: string): void; leave(): Promise<void> }
/** Connects, proves who it is, and comes back when it takes part. What is said to it later is heard. */
export type Enter = (seat: Seat, heard: (payload: Buffer) => void) => Promise<Member>

export type DialectName = keyof typeof DIALECTS

/** How a client of each server talks. */
export const DIALECTS = { svc, socketIo, colyseus } satisfies Record<string, Enter>

const CHANNEL_MEMBERS_MAX = 1_000

/** The specification's frames; a bare `ws` server understands them, too. */
async function svc({ port, place, name, isFirst, key, token }: Seat, heard: (payload: Buffer) => void) {
  const entered = Promise.withResolvers<void>()
  let isIn = false
  const socket = await openSocket(port, '/v1/realtime', (payload) => {
    if (isIn) heard(payload)
    else if (isText(payload, '{"t":"welcome"') && place === 'nowhere') entered.resolve()
    else if (isText(payload, '{"t":"reply"')) settle(entered, payload, '"ok":true')
  })
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  send({ t: 'auth', key, token })
  if (place === 'room')
    send(isFirst ? { t: 'create', rid: 1, private: true, code: name } : { t: 'join', rid: 1, code: name })
  if (place === 'channel')
    send(
      isFirst
        ? { t: 'channelCreate', rid: 1, channel: name, maxMembers: CHANNEL_MEMBERS_MAX }
        : { t: 'channelJoin', rid: 1, channel: name },
    )
  await entered.promise
  isIn = true

  const head = place === 'room' ? '{"t":"send",' : `{"t":"channelSend","channel":"${name}",`
  return {
    say: (text: string) => socket.send(`${head}"type":"pos","data":{"p":"${text}"}}`),
    leave() {
      if (place === 'room') send({ t: 'leave' })
      return socket.close()
    },
  }
}

/** Engine.IO 4 below Socket.IO 5, over WebSocket from the beginning. */
async function socketIo({ port, place, name, token }: Seat, heard: (payload: Buffer) => void) {
  const entered = Promise.withResolvers<void>()
  const socket = await openSocket(port, '/socket.io/?EIO=4&transport=websocket', (payload, opened) => {
    if (isText(payload, '42')) heard(payload)
    else if (isText(payload, '2')) opened.send('3')
    else if (isText(payload, '0')) opened.send(`40${JSON.stringify({ token })}`)
    else if (isText(payload, '40') && place === 'nowhere') entered.resolve()
    else if (isText(payload, '40')) opened.send(`420["join","${name}"]`)
    else settle(entered, payload, '430')
  })
  await entered.promise
  return {
    say: (text: string) => socket.send(`42["send",{"type":"pos","data":{"p":"${text}"}}]`),
    leave() {
      socket.send('41')
      return socket.close()
    },
  }
}

const [JOIN_ROOM, LEAVE_ROOM, ROOM_DATA] = [10, 12, 13]
const CODE_MASK = 0x1f
const TEXT_UP_TO_255 = 0xd9
/** `send` and `{ type: 'pos', data: { p:` in MessagePack. */
const COLYSEUS_HEAD = Buffer.from('\xa4send\x82\xa4type\xa3pos\xa4data\x81\xa1p', 'latin1')

/** A seat is reserved over HTTP, then taken by WebSocket. There is no `nowhere`: whoever is connected is in a room. */
async function colyseus({ port, name, token }: Seat, heard: (payload: Buffer) => void) {
  const reserved = await fetch(`http://127.0.0.1:${port}/matchmake/joinOrCreate/relay`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ room: name }),
  })
  if (!reserved.ok) throw new Error(`Colyseus answers ${reserved.status}: ${await reserved.text()}`)
  const seat = (await reserved.json()) as { processId: string; roomId: string; sessionId: string }

  const entered = Promise.withResolvers<void>()
  const path = `/${seat.processId}/${seat.roomId}?sessionId=${seat.sessionId}`
  const socket = await openSocket(port, path, (payload, opened) => {
    const code = (payload[0] ?? 0) & CODE_MASK
    if (code === ROOM_DATA) return heard(payload)
    if (code !== JOIN_ROOM) return
    opened.send(Buffer.of(JOIN_ROOM))
    entered.resolve()
  })
  await entered.promise
  return {
    say: (text: string) =>
      socket.send(
        Buffer.concat([
          Buffer.of(ROOM_DATA),
          COLYSEUS_HEAD,
          Buffer.of(TEXT_UP_TO_255, text.length),
          Buffer.from(text),
        ]),
      ),
    leave() {
      socket.send(Buffer.of(LEAVE_ROOM))
      return socket.close()
    },
  }
}

const isText = (payload: Buffer, start: string) => payload.toString('latin1', 0, start.length) === start

/** An answer that says something else is a refusal. */
function settle(entered: PromiseWithResolvers<void>, payload: Buffer, wanted: string) {
  if (payload.includes(wanted)) entered.resolve()
  else entered.reject(new Error(`refused: ${payload.toString()}`))
}
