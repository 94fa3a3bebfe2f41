import { signal } from '@preact/signals'
import type { NetworkConditions } from '@svc/contract/playground'

/** A slider changes many times while it is dragged. */
const SEND_AFTER_MS = 150
const GOOD_NETWORK: NetworkConditions = { latencyMs: 0, lossPercent: 0, paused: false }

/** Tells the service the network of a player. */
export type Simulate = (playerId: string, conditions: NetworkConditions) => Promise<unknown>

export type PlayerNetwork = ReturnType<typeof createPlayerNetwork>

/** The network that the service simulates for one player; `simulate` tells the service. */
export function createPlayerNetwork(simulate: (conditions: NetworkConditions) => Promise<unknown>) {
  const conditions = signal<NetworkConditions>(GOOD_NETWORK)
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    conditions,
    /** The network from now on; `onError` gets what the service refuses. */
    change(changed: Partial<NetworkConditions>, onError: (error: unknown) => void) {
      conditions.value = { ...conditions.value, ...changed }
      clearTimeout(timer)
      timer = setTimeout(() => void simulate(conditions.value).catch(onError), SEND_AFTER_MS)
    },
    /** For a new connection: a service that has restarted does not know the network any more. */
    async repeat() {
      if (conditions.value !== GOOD_NETWORK) await simulate(conditions.value).catch(() => {})
    },
  }
}
