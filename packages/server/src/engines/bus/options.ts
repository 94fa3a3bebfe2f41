import type { ConnectionOptions } from '../redis/connection.ts'

/** How a bus is opened. */
export type BusOptions = ConnectionOptions & {
  /** Separates services that share one Redis. */
  prefix?: string
  /** For tests of other versions. */
  protocol?: number
}
