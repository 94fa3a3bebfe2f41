import type { RedisUrl } from '../../platform/engine-urls.ts'
import { answerWithin } from '../../platform/time/answer-within.ts'
import { type Client, newClient } from './client.ts'

const ANSWER_TIMEOUT_MS = 1_000

type Sentinels = Extract<RedisUrl, { via: 'sentinels' }>

/** Asks all Sentinels at the same time, because a frozen one answers never. Returns the URL of the master by the first answer. */
export async function findMaster({ sentinels, sentinelPassword, master, masterUrl }: Sentinels) {
  const password = sentinelPassword === undefined ? '' : `:${encodeURIComponent(sentinelPassword)}@`
  const asked = sentinels.map((address) => askSentinel(`redis://${password}${address}`, master))
  const address = await Promise.any(asked).catch((error: AggregateError) => {
    const problems = error.errors.map((problem: Error, at) => `${sentinels[at]}: ${problem.message}`)
    throw new Error(`no Sentinel names a master (${problems.join('; ')})`, { cause: error })
  })
  return masterUrl(address)
}

async function askSentinel(url: string, master: string): Promise<string> {
  const sentinel = newClient(url, 'sentinel')
  sentinel.on('error', () => {})
  try {
    await answerWithin(ANSWER_TIMEOUT_MS, sentinel.connect())
    const reply = await answerWithin(
      ANSWER_TIMEOUT_MS,
      sentinel.sendCommand<string[] | null>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master]),
    )
    const [host, port] = reply ?? []
    if (!host || !port) throw new Error(`it knows no master ${master}`)
    return `${host.includes(':') ? `[${host}]` : host}:${port}`
  } finally {
    sentinel.destroy()
  }
}

/** Throws if the server is a replica, for example a former master after a failover. */
export async function requireMaster(client: Client): Promise<void> {
  const [role] = await client.sendCommand<unknown[]>(['ROLE'])
  if (role !== 'master') throw new Error(`it is a ${String(role)}`)
}
