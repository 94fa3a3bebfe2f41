// socket.io over WebSocket only. Tokens are looked up in a set, the cheapest possible authentication.
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

import { Server } from 'socket.io'

const { values } = parseArgs({ options: { port: { type: 'string' } } })
const TOKENS = new Set(['token'])

const server = createServer((_request, response) => response.end())
const io = new Server(server, { transports: ['websocket'], perMessageDeflate: false, serveClient: false })
io.use((socket, next) => next(TOKENS.has(socket.handshake.auth.token) ? undefined : new Error('no')))
io.on('connection', (socket) => {
  socket.on('join', (room, acknowledge) => {
    void socket.join(room)
    socket.data.room = room
    acknowledge({ ok: true })
  })
  socket.on('send', ({ type, data }) =>
    socket.to(socket.data.room).emit('message', { from: socket.id, type, data }),
  )
})
server.listen(Number(values.port), '127.0.0.1')
