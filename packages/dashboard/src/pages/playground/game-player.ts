import { signal } from '@preact/signals'

import { newId } from '../../platform.ts'
import { createPlayerNetwork, type Simulate } from './player-network.ts'

export type GamePlayer = ReturnType<typeof createGamePlayer>

/**
 * A player of the app itself, in a frame. The SDK in the frame keeps a session of its own for each name that begins with `svc-play-`
 * (in development only), and tells which player it is: for that one the service simulates the network.
 */
export function createGamePlayer(number: number, simulate: Simulate) {
  const frame = signal({ name: `svc-play-${number}`, loads: 0 })
  const playerId = signal<string | null>(null)
  const network = createPlayerNetwork(async (conditions) => {
    if (playerId.value !== null) await simulate(playerId.value, conditions)
  })

  return {
    name: `Player ${number}`,
    frame,
    /** Null until the page in the frame has called `connect()`. */
    playerId,
    network,
    reload() {
      frame.value = { ...frame.value, loads: frame.value.loads + 1 }
    },
    /** With another name the page finds no session, and starts as a new guest. */
    replace() {
      playerId.value = null
      frame.value = { name: `svc-play-${number}-${newId()}`, loads: 0 }
    },
    /** Handles a message of the page in the frame, which can send anything. */
    receive(data: unknown) {
      const { svcPlayer: id } = Object(data) as { svcPlayer?: unknown }
      if (typeof id !== 'string' || !/^ply_\w{1,64}$/.test(id)) return
      playerId.value = id
      void network.repeat()
    },
  }
}
