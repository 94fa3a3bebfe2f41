// Colyseus with its WebSocket transport and a room that relays and has no state. Tokens are looked up in a set.
import { parseArgs } from 'node:util'

import { Room, Server } from '@colyseus/core'
import { WebSocketTransport } from '@colyseus/ws-transport'

const { values } = parseArgs({ options: { port: { type: 'string' } } })
const TOKENS = new Set(['token'])

class Relay extends Room {
  static onAuth(token) {
    return TOKENS.has(token)
  }

  onCreate() {
    this.maxClients = 5_000
    this.patchRate = null
    this.onMessage('send', (client, { type, data }) =>
      this.broadcast('message', { from: client.sessionId, type, data }, { except: client }),
    )
  }
}

const transport = new WebSocketTransport({ perMessageDeflate: false, pingInterval: 0 })
const server = new Server({ transport, greet: false })
server.define('relay', Relay).filterBy(['room'])
await server.listen(Number(values.port), '127.0.0.1')
