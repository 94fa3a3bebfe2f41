import type { Bus } from '../../platform/bus.ts'
import { createListeners } from './listeners.ts'
import type { BusOptions } from './options.ts'

/** One node alone: nothing is ever lost, so there is never a gap. */
export function createMemoryBus({ log }: BusOptions = {}): Bus {
  const listeners = createListeners(log)
  return {
    publish: async (topic, message) => listeners.deliver(topic, message),
    subscribe: listeners.add,
    onGap: listeners.addOnGap,
    ping: async () => {},
    close: async () => {},
  }
}
