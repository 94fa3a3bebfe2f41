import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import type { Counts } from './endless-server-process.ts'

export type EndlessServer = Awaited<ReturnType<typeof startEndlessServer>>

/** A hostile server in a process of its own, so that what it costs is not measured with the service. */
export async function startEndlessServer() {
  const child = fork(join(import.meta.dirname, 'endless-server-process.ts'), {
    execArgv: ['--conditions=source'],
  })
  const [port] = (await once(child, 'message')) as [number]
  async function counts(): Promise<Counts> {
    child.send('counts')
    const [answer] = (await once(child, 'message')) as [Counts]
    return answer
  }
  return {
    address: `127.0.0.1:${port}`,
    connections: async () => (await counts()).connections,
    requests: async () => (await counts()).requests,
    stop: () => void child.kill(),
  }
}
