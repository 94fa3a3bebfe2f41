import { type CrowdPlayer, gather, play, type Played, sitDown } from './crowd.ts'
import type { GameServer } from './game-server.ts'
import { newPlayerOf } from './game-server.ts'

/** A crowd in a process of its own, so that it does not take the time of whoever measures. Asked and answered by IPC. */
export type Order = { do: 'gather'; count: number } | { do: 'sitDown' } | { do: 'play'; seconds: number }
export type Setup = { port: number; publishableKey: string; secretKey: string }

const { port, ...keys } = JSON.parse(process.argv[2] ?? '') as Setup
const game: GameServer = { ...keys, newPlayer: newPlayerOf(keys.publishableKey, { port }) }
const players: CrowdPlayer[] = []

process.on('message', (order: Order) => {
  obey(order).then(
    (answer) => process.send?.({ answer }),
    (error: unknown) => process.send?.({ problem: String(error) }),
  )
})
process.on('disconnect', () => process.exit())

async function obey(order: Order): Promise<Played | number> {
  if (order.do === 'gather') return players.push(...(await gather({ port }, game, order.count)))
  if (order.do === 'play') return play(players, order.seconds)
  await sitDown(players)
  return players.length
}
