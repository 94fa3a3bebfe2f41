import { openSocket } from './websocket.ts'

/** A client and what it joins. `nothing`: it is only connected and authenticated. */
export type Participant = {
  port: number
  joins: 'room' | 'channel' | 'nothing'
  name: string
  isFirst: boolean
  /** The address of the client. One address has 28,000 ports at most. */
  from?: string
} & Credentials
/** How the client authenticates. The service takes an empty token as an anonymous client. */
export type Credentials = { key: string; token: string }

export type Client = { send(text: string): void; leave(): Promise<void> }
/** Connects, authenticates and joins. Later messages are passed to `onMessage`. */
export type Connect = (participant: Participant, onMessage: (payload: Buffer) => void) => Promise<Client>

export type DialectName = keyof typeof DIALECTS

/** The client protocol of each server. */
export const DIALECTS = { svc, socketIo, colyseus } satisfies Record<string, Connect>

const CHANNEL_MEMBERS_MAX = 1_000

/** The frames of the specification. The bare `ws` servers use them too. */
async function svc(
  { port, joins, name, isFirst, from, key, token }: Participant,
  onMessage: (payload: Buffer) => void,
) {
  const joined = Promise.withResolvers<void>()
  let hasJoined = false
  const receive = (payload: Buffer) => {
    if (hasJoined) onMessage(payload)
    else if (isText(payload, '{"t":"welcome"') && joins === 'nothing') joined.resolve()
    else if (isText(payload, '{"t":"reply"')) resolveOrReject(joined, payload, '"ok":true')
  }
  const socket = await openSocket(port, '/v1/realtime', receive, from)
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  send(token === '' ? { t: 'auth', key, anon: true } : { t: 'auth', key, token })
  if (joins === 'room')
    send(isFirst ? { t: 'create', rid: 1, private: true, code: name } : { t: 'join', rid: 1, code: name })
  if (joins === 'channel')
    send(
      isFirst
        ? { t: 'channelCreate', rid: 1, channel: name, maxMembers: CHANNEL_MEMBERS_MAX }
        : { t: 'channelJoin', rid: 1, channel: name },
    )
  await joined.promise
  hasJoined = true

  const head = joins === 'room' ? '{"t":"send",' : `{"t":"channelSend","channel":"${name}",`
  return {
    send: (text: string) => socket.send(`${head}"type":"pos","data":{"p":"${text}"}}`),
    together: socket.together,
    leave() {
      if (joins === 'room') send({ t: 'leave' })
      return socket.close()
    },
  }
}

/** Engine.IO 4 and Socket.IO 5, over WebSocket without a polling phase. */
async function socketIo({ port, joins, name, token }: Participant, onMessage: (payload: Buffer) => void) {
  const joined = Promise.withResolvers<void>()
  const socket = await openSocket(port, '/socket.io/?EIO=4&transport=websocket', (payload, opened) => {
    if (isText(payload, '42')) onMessage(payload)
    else if (isText(payload, '2')) opened.send('3')
    else if (isText(payload, '0')) opened.send(`40${JSON.stringify({ token })}`)
    else if (isText(payload, '40') && joins === 'nothing') joined.resolve()
    else if (isText(payload, '40')) opened.send(`420["join","${name}"]`)
    else resolveOrReject(joined, payload, '430')
  })
  await joined.promise
  return {
    send: (text: string) => socket.send(`42["send",{"type":"pos","data":{"p":"${text}"}}]`),
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

/** A seat is reserved over HTTP and taken over WebSocket. `nothing` does not exist: every connected client is in a room. */
async function colyseus({ port, name, token }: Participant, onMessage: (payload: Buffer) => void) {
  const path = await reserveColyseusSeat(port, 'relay', name, token)
  const joined = Promise.withResolvers<void>()
  const socket = await openSocket(port, path, (payload, opened) => {
    const code = (payload[0] ?? 0) & CODE_MASK
    if (code === ROOM_DATA) return onMessage(payload)
    if (code !== JOIN_ROOM) return
    opened.send(Buffer.of(JOIN_ROOM))
    joined.resolve()
  })
  await joined.promise
  return {
    send: (text: string) =>
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

/** Reserves a seat over HTTP; returns the path of its WebSocket. */
export async function reserveColyseusSeat(
  port: number,
  game: string,
  room: string,
  token: string,
): Promise<string> {
  const reserved = await fetch(`http://127.0.0.1:${port}/matchmake/joinOrCreate/${game}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ room }),
  })
  if (!reserved.ok) throw new Error(`Colyseus answers ${reserved.status}: ${await reserved.text()}`)
  const { processId, roomId, sessionId } = (await reserved.json()) as Record<
    'processId' | 'roomId' | 'sessionId',
    string
  >
  return `/${processId}/${roomId}?sessionId=${sessionId}`
}

const isText = (payload: Buffer, start: string) => payload.toString('latin1', 0, start.length) === start

/** Any reply without `wanted` is an error. */
function resolveOrReject(joined: PromiseWithResolvers<void>, payload: Buffer, wanted: string) {
  if (payload.includes(wanted)) joined.resolve()
  else joined.reject(new Error(`refused: ${payload.toString()}`))
}
