import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

import { answerWithoutEnd } from './endless-answers.ts'

export type Counts = { connections: number; requests: number }

/** Started by `startEndlessServer`. Each message is answered with the counts. */
let requests = 0
const server = createServer((socket) => answerWithoutEnd(socket, () => requests++)).listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
process.on('message', () =>
  server.getConnections((_, connections) => process.send?.({ connections, requests } satisfies Counts)),
)
process.on('disconnect', () => process.exit())
