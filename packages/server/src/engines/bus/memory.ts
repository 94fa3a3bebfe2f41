import type { Bus } from '../../platform/ports/bus.ts'
import { createListeners } from './listeners.ts'
import type { BusOptions } from './options.ts'

/** A single node: no message is lost, so `onGap` is never called. */
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
