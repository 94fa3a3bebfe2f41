// The upper bound for Node: `ws`, the specification's frames, parsing, a room lookup and the fan-out. No validation.
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

import { Sender, WebSocketServer } from 'ws'

const { values } = parseArgs({
  options: { port: { type: 'string' }, framed: { type: 'boolean', default: false } },
})
const FRAME = { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: false }
const rooms = new Map()
const writers = new Set()
let ids = 0

/** Frames and writes the message separately for every member. */
function sendToEach(room, text, except) {
  for (const member of room) if (member !== except) member.socket.send(text)
}

/** Frames the message once, and makes one write per member and tick of the event loop. */
function sendFramed(room, text, except) {
  const frame = Buffer.concat(Sender.frame(Buffer.from(text), FRAME))
  if (writers.size === 0) setImmediate(flush)
  for (const member of room) {
    if (member === except) continue
    member.frames.push(frame)
    writers.add(member)
  }
}

function flush() {
  for (const member of writers) {
    const { frames, socket } = member
    member.frames = []
    if (socket.readyState === socket.OPEN)
      socket._socket.write(frames.length === 1 ? frames[0] : Buffer.concat(frames))
  }
  writers.clear()
}

const fanOut = values.framed ? sendFramed : sendToEach

function receive(member, frame) {
  const { t, rid, code, channel, type, data } = frame
  if (t === 'send') {
    fanOut(member.room, JSON.stringify({ t: 'message', from: member.id, type, data }), member)
  } else if (t === 'channelSend') {
    fanOut(member.room, JSON.stringify({ t: 'channel_message', channel, from: member.id, type, data }))
  } else if (t === 'auth') {
    member.socket.send(JSON.stringify({ t: 'welcome', playerId: member.id }))
  } else {
    const name = code ?? channel
    member.room = rooms.get(name) ?? new Set()
    rooms.set(name, member.room.add(member))
    member.socket.send(JSON.stringify({ t: 'reply', rid, ok: true }))
  }
}

const server = createServer((_request, response) => response.end())
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  const member = { socket, id: `pl_${String(++ids).padStart(26, '0')}`, frames: [], room: undefined }
  socket.on('message', (payload) => receive(member, JSON.parse(payload)))
  socket.on('close', () => member.room?.delete(member))
})
server.listen(Number(values.port), '127.0.0.1')
