// socket.io with what a game needs when a player joins a room: a signed token that is verified once, a player who is looked up in SQLite and may
// be banned or connected already, and members who learn who has come and gone. GET /tokens/<count> creates players and returns their tokens.
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'

import { Server } from 'socket.io'

const { values } = parseArgs({ options: { port: { type: 'string' } } })
const FORMAT = { dsaEncoding: 'ieee-p1363' }
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const database = new DatabaseSync(':memory:')
database.exec(
  'create table players (id text primary key, name text not null, bannedUntil text) without rowid',
)
const insertPlayer = database.prepare('insert into players (id, name) values (?, ?)')
const findPlayer = database.prepare('select name, bannedUntil from players where id = ?')

const verified = new Map()
const connected = new Map()
let created = 0

function newToken() {
  const sub = `player_${++created}`
  insertPlayer.run(sub, `Player ${created}`)
  const signed = Buffer.from(JSON.stringify({ sub })).toString('base64url')
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, ...FORMAT })
  return `${signed}.${signature.toString('base64url')}`
}

function playerOf(token) {
  const known = verified.get(token)
  if (known) return known
  const [signed = '', signature = ''] = token.split('.')
  const key = { key: publicKey, ...FORMAT }
  if (!verify('sha256', Buffer.from(signed), key, Buffer.from(signature, 'base64url'))) return undefined
  const { sub } = JSON.parse(Buffer.from(signed, 'base64url').toString())
  verified.set(token, sub)
  return sub
}

const server = createServer((request, response) => {
  const [, count = '0'] = /^\/tokens\/(\d+)$/.exec(request.url) ?? []
  response.end(JSON.stringify(Array.from({ length: Number(count) }, newToken)))
})
const io = new Server(server, { transports: ['websocket'], perMessageDeflate: false, serveClient: false })

io.use((socket, next) => {
  const id = playerOf(socket.handshake.auth.token)
  const player = id && findPlayer.get(id)
  if (!player || player.bannedUntil !== null) return next(new Error('no'))
  socket.data = { id, name: player.name }
  next()
})
io.on('connection', (socket) => {
  const { id, name } = socket.data
  connected.get(id)?.disconnect(true)
  connected.set(id, socket)
  socket.on('join', (room, acknowledge) => {
    socket.to(room).emit('player_joined', { id, name })
    void socket.join(room)
    socket.data.room = room
    const members = [...(io.sockets.adapter.rooms.get(room) ?? [])]
    acknowledge({ ok: true, members: members.map((member) => io.sockets.sockets.get(member)?.data) })
  })
  socket.on('disconnect', () => {
    if (connected.get(id) === socket) connected.delete(id)
    socket.to(socket.data.room).emit('player_left', { id })
  })
})
server.listen(Number(values.port), '127.0.0.1')
