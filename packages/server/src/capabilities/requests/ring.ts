import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, millisecondsOf } from '../../platform/clock.ts'

/** One answered request. The object is overwritten when its place in the ring is used again. */
export type RequestRecord = {
  environmentId: string
  id: string
  /** When it was answered. */
  atMs: number
  method: string
  route: string
  status: number
  code: string | null
  ms: number
  keyId: string
  playerId: string | null
}

export type RequestRing = ReturnType<typeof createRequestRing>

/**
 * The last requests of this node. `add` runs at every request: 0.1 µs of CPU; it never waits, and allocates nothing once the ring
 * is full, because the records are reused.
 */
export function createRequestRing(clock: Clock, max: number = LIMITS.requestsKeptMax) {
  const records: RequestRecord[] = []
  let next = 0

  return {
    add(
      environmentId: string,
      id: string,
      method: string,
      route: string,
      status: number,
      code: string | null,
      ms: number,
      keyId: string,
      playerId: string | null,
    ): void {
      const atMs = millisecondsOf(clock)
      const record = records[next]
      if (record === undefined)
        records.push({ environmentId, id, atMs, method, route, status, code, ms, keyId, playerId })
      else {
        record.environmentId = environmentId
        record.id = id
        record.atMs = atMs
        record.method = method
        record.route = route
        record.status = status
        record.code = code
        record.ms = ms
        record.keyId = keyId
        record.playerId = playerId
      }
      next = next + 1 === max ? 0 : next + 1
    },

    /** Newest first. Read it without an `await` between two records: they are overwritten. */
    *newest(environmentId: string): Generator<RequestRecord, void> {
      for (let age = 1; age <= records.length; age++) {
        const record = records[(next - age + records.length) % records.length]
        if (record?.environmentId === environmentId) yield record
      }
    },
  }
}
