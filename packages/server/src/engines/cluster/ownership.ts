import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../../platform/api-error.ts'
import { type Monotonic, monotonicMs } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { Claim, Cluster } from '../../platform/ports/cluster.ts'
import type { Connection } from '../redis/connection.ts'
import type { ClusterTimings } from './cluster.ts'
import type { Membership } from './membership.ts'
import { scripts } from './scripts.ts'
import { KEPT_MS } from './snapshot-file.ts'

const REFRESH_CONCURRENCY = 500
const UNCONFIRMED_MAX = 100_000

export type OwnershipDeps = {
  nodeId: string
  commands: Connection
  membership: Membership
  timings: ClusterTimings
  keyOf: (name: string) => string
  now?: Monotonic | undefined
}

/** A name that this node owns, as far as it knows, and the incarnation in which it was claimed. */
type Held = { fence: number; incarnation: number }
const NEVER_HELD: Held = { fence: Number.MAX_SAFE_INTEGER, incarnation: 0 }

/** The names that this node owns, and their snapshots. */
export function createOwnership(deps: OwnershipDeps) {
  const { nodeId, commands, membership, timings, keyOf, now = monotonicMs } = deps
  const held = new Map<string, Held>()
  /** Name → number of its claims in flight. */
  const claiming = new Map<string, number>()
  /** Claims and releases that timed out: Redis may still list this node as owner. Released again in the background. */
  const unconfirmed = new Map<string, { keepSnapshot: boolean }>()
  const closing = new AbortController()
  const ownerKey = (name: string) => keyOf(`owner:${name}`)
  const keysOf = (name: string) => [ownerKey(name), keyOf(`snapshot:${name}`)]
  const shared = ['nodes', 'fences', 'settling'].map(keyOf)

  async function claim(name: string, how: Parameters<Cluster['claim']>[1]): Promise<Claim> {
    const deadline = now() + timings.claimWithinMs
    for (;;) {
      const incarnation = membership.incarnation()
      const before = held.get(name) ?? NEVER_HELD
      const isContinuous = Number(membership.isContinuousSince(before.incarnation))
      const values = [nodeId, incarnation, how, before.fence, KEPT_MS, isContinuous, timings.lostAfterMs]
      const [outcome, value = '', snapshot] = await commands.run((client) =>
        scripts.claim(client, [...shared, ...keysOf(name)], values),
      )
      if (outcome === 'other' || outcome === 'nobody') held.delete(name)
      if (outcome === 'other') return { owner: 'other', nodeId: value }
      if (outcome === 'nobody') return { owner: 'nobody' }
      // A claim of an earlier incarnation does not count: the handlers of `onReconnected` did not see it.
      if (outcome === 'us' && incarnation === membership.incarnation()) {
        const fence = Number(value)
        held.set(name, { fence, incarnation })
        return { owner: 'us', fence, snapshot }
      }
      const waitMs = (outcome === 'wait' && Number(value)) || timings.heartbeatEveryMs / 4
      if (now() + waitMs > deadline) throw new ApiError('service_unavailable')
      await pause(waitMs, undefined, { signal: closing.signal }).catch((cause: unknown) => {
        throw new ApiError('service_unavailable', undefined, { cause })
      })
    }
  }

  function scheduleRelease(name: string, how: { keepSnapshot: boolean }) {
    setBounded(unconfirmed, name, how, UNCONFIRMED_MAX)
  }

  async function release(name: string, fence: number, { keepSnapshot }: { keepSnapshot: boolean }) {
    const values = [fence, keepSnapshot ? KEPT_MS : 0]
    await commands.run((client) => scripts.release(client, keysOf(name), values))
  }

  async function releaseUnconfirmed() {
    for (const [name, how] of unconfirmed) {
      if (closing.signal.aborted) return
      const owner = await commands.run((client) => client.get(ownerKey(name)))
      if (claiming.has(name)) continue
      const [ownerId, , fence] = owner?.split(':') ?? []
      if (ownerId === nodeId && !held.has(name)) await release(name, Number(fence), how)
      unconfirmed.delete(name)
    }
  }

  async function refresh() {
    const names = [...held]
    while (names.length > 0) {
      const some = names.splice(0, REFRESH_CONCURRENCY)
      const keys = some.flatMap(([name]) => keysOf(name))
      const values = [KEPT_MS, ...some.map(([, { fence }]) => fence)]
      await commands.run((client) => scripts.refresh(client, keys, values))
    }
  }

  async function maintenanceLoop() {
    let refreshedAt = now()
    const { signal } = closing
    while (!signal.aborted) {
      await pause(timings.heartbeatEveryMs, undefined, { signal }).catch(() => {})
      await releaseUnconfirmed().catch(() => {})
      if (signal.aborted || now() - refreshedAt < timings.refreshEveryMs) continue
      refreshedAt = now()
      await refresh().catch(() => {})
    }
  }
  const loop = maintenanceLoop()

  return {
    async claim(name: string, how: Parameters<Cluster['claim']>[1]): Promise<Claim> {
      claiming.set(name, (claiming.get(name) ?? 0) + 1)
      try {
        return await claim(name, how)
      } catch (error) {
        scheduleRelease(name, { keepSnapshot: true })
        throw error
      } finally {
        const left = (claiming.get(name) ?? 1) - 1
        if (left === 0) claiming.delete(name)
        else claiming.set(name, left)
      }
    },

    async saveSnapshot(name: string, fence: number, snapshot: string) {
      const values = [fence, snapshot, KEPT_MS]
      const [isKept] = await commands.run((client) => scripts.saveSnapshot(client, keysOf(name), values))
      return isKept === '1'
    },

    async release(name: string, fence: number, how: { keepSnapshot: boolean }) {
      if (held.get(name)?.fence === fence) held.delete(name)
      await release(name, fence, how).catch(() => scheduleRelease(name, how))
    },

    async stop() {
      closing.abort()
      await loop
    },
  }
}
