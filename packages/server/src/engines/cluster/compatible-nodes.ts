import { setTimeout as pause } from 'node:timers/promises'

import { monotonicMs } from '../../platform/clock.ts'
import { NODE_PROTOCOL } from '../../platform/node-protocol.ts'
import { openConnection } from '../redis/connection.ts'
import { type ClusterOptions, TIMINGS } from './cluster.ts'
import { IncompatibleNodeError } from './membership.ts'
import { scripts } from './scripts.ts'

/** Throws while a node runs whose protocol version is too far from ours. Waits for a node that was killed to expire. */
export async function requireCompatibleNodes(url: string, options: ClusterOptions = {}): Promise<void> {
  const { prefix = 'svc:', openTimeoutMs = 5_000, protocol = NODE_PROTOCOL, now = monotonicMs } = options
  const keys = ['nodes', 'protocols'].map((name) => `${prefix}cluster:${name}`)
  const role = { name: 'cluster-start' }
  const connection = await openConnection(url, role, { commandTimeoutMs: 1_000, ...options })
  try {
    const startedAtMs = now()
    for (;;) {
      const [theirs] = await connection.run((client) => scripts.incompatible(client, keys, [protocol]))
      if (theirs === undefined) return
      if (now() - startedAtMs > openTimeoutMs) throw new IncompatibleNodeError(protocol, Number(theirs))
      await pause(TIMINGS.heartbeatEveryMs / 4)
    }
  } finally {
    await connection.close()
  }
}
