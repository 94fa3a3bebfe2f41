import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

import type { Cluster } from '../engines/cluster/cluster.ts'
import { openCluster } from '../engines/cluster/open.ts'
import type { Call, NodeSettings, Told } from './cluster.ts'

/** A node in a separate process: see startNodeProcess. */
const settings = JSON.parse(process.argv[2] ?? '') as NodeSettings
const cluster = await openCluster(settings.redisUrl, settings.options)
const sendEvent = (message: Told) => process.send?.(message)

cluster.onReconnected(() => sendEvent({ received: 'returned' }))
process.on('message', ({ number, ...call }: Call & { number: number }) => {
  void answerTo(call).then((answer) => sendEvent({ received: 'answer', number, answer }))
})
process.on('disconnect', () => process.exit())
sendEvent({ received: 'ready', nodeId: cluster.nodeId })
if (settings.contendFor) void contend(cluster, settings.contendFor)

async function answerTo({ call, args }: Call): Promise<unknown> {
  switch (call) {
    case 'claim':
      return cluster.claim(...args)
    case 'keep':
      return cluster.saveSnapshot(...args)
    case 'isLive':
      return cluster.isLive(...args)
  }
}

/** Claims the name permanently, and while it owns the name, writes as often as possible. */
async function contend(node: Cluster, { name, speaking }: NonNullable<NodeSettings['contendFor']>) {
  let fence: number | undefined
  let how: 'any' | 'reclaim' = 'any'
  node.onReconnected(() => (how = 'reclaim'))

  setInterval(() => {
    // Take the time before the check: if the process is frozen in between, the recorded time is early, never late.
    const at = process.hrtime.bigint()
    if (fence !== undefined && node.isLive(fence)) appendFileSync(speaking, `${fence} ${at}\n`)
  }, 1)

  for (;;) {
    if (fence === undefined || !node.isLive(fence)) {
      const asked = how
      how = 'any'
      const claim = await node.claim(name, asked).catch(() => undefined)
      fence = claim?.owner === 'us' ? claim.fence : undefined
    }
    await pause(10)
  }
}
