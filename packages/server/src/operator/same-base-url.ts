import { setTimeout as pause } from 'node:timers/promises'

import { DAY_MS, monotonicMs } from '../platform/clock.ts'
import type { Cluster } from '../platform/ports/cluster.ts'

/** Longer than the time for which a killed node still counts as running. */
const WAIT_MS = 4_500
const ASK_EVERY_MS = 100

const recordOf = (nodeId: string) => `base-url:${nodeId}`

/**
 * Prevents the start while another node runs with another base URL: one node would reject the tokens of the other, and links in
 * mails would differ. Only running nodes are compared, so the URL can be changed by stopping all of them.
 */
export async function requireSameBaseUrl(
  { nodeId, nodes, records, shared }: Pick<Cluster, 'nodeId' | 'nodes' | 'records' | 'shared'>,
  baseUrl: string,
): Promise<void> {
  if (!shared) return
  // Written before the others are read: if two nodes start together, the later one sees the record of the earlier one.
  await records.swap(recordOf(nodeId), baseUrl)

  const urlsOfOthers = () =>
    Promise.all(
      nodes()
        .filter((id) => id !== nodeId)
        .map((id) => records.get(recordOf(id))),
    )
  let urls = await urlsOfOthers()
  const begunMs = monotonicMs()
  while (urls.some((url) => url !== baseUrl) && monotonicMs() - begunMs < WAIT_MS) {
    await pause(ASK_EVERY_MS)
    urls = await urlsOfOthers()
  }
  const other = urls.find((url) => url !== undefined && url !== baseUrl)
  if (other !== undefined)
    throw new Error(
      `SVC_BASE_URL is ${baseUrl} here, but ${other} on another running node of this service. Set the same URL on every node; to change it, stop all nodes first.`,
    )

  // Records expire after a week.
  const refresh = () => void records.swap(recordOf(nodeId), baseUrl).catch(() => {})
  setInterval(refresh, DAY_MS).unref()
}
