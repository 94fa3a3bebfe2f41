import {
  type LoadPlayer,
  connectPlayers,
  exchangeMessages,
  type DeliveryCounts,
  joinRooms,
} from './clients.ts'
import type { GameServer } from './game-server.ts'
import { newPlayerOf } from './game-server.ts'

/**
 * Runs many clients in a separate process, so that they do not take CPU time from the measuring process. Orders and results are
 * sent by IPC.
 */
export type Order = { do: 'gather'; count: number } | { do: 'sitDown' } | { do: 'play'; seconds: number }
export type Setup = { port: number; publishableKey: string; secretKey: string }

const { port, ...keys } = JSON.parse(process.argv[2] ?? '') as Setup
const game: GameServer = { ...keys, newPlayer: newPlayerOf(keys.publishableKey, { port }) }
const players: LoadPlayer[] = []

process.on('message', (order: Order) => {
  runOrder(order).then(
    (answer) => process.send?.({ answer }),
    (error: unknown) => process.send?.({ problem: String(error) }),
  )
})
process.on('disconnect', () => process.exit())

async function runOrder(order: Order): Promise<DeliveryCounts | number> {
  if (order.do === 'gather') return players.push(...(await connectPlayers({ port }, game, order.count)))
  if (order.do === 'play') return exchangeMessages(players, order.seconds)
  await joinRooms(players)
  return players.length
}
