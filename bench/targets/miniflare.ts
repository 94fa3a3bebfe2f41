import { fork } from 'node:child_process'
import { once } from 'node:events'

import { median, type Metrics } from '../metrics.ts'
import { cpuMs, descendantsOf, privateMb, rssMb } from '../process-stats.ts'
import { peerScript } from './peer-scripts.ts'

export const MINIFLARE = 'miniflare'

type Reply = { result: { ms: number; port: number } } | { failed: string }

/** A process with miniflare, which has started no functions yet. */
export function openMiniflare(opened: AsyncDisposableStack) {
  const child = fork(peerScript('miniflare.mjs'), { execArgv: ['--no-warnings'] })
  const exited = once(child, 'exit').then((): Reply => ({ failed: 'its process has ended' }))
  opened.defer(async () => {
    if (child.connected) child.disconnect()
    await exited
  })
  let deployments = 0

  async function ask(task: 'start' | 'deploy' | 'stop') {
    child.send({ task, answer: `ok ${++deployments}` })
    const replied = once(child, 'message').then(([reply]): Reply => reply)
    const reply = await Promise.race([replied, exited])
    if ('failed' in reply) throw new Error(`${MINIFLARE}: ${reply.failed}`)
    return reply.result
  }

  return {
    /** Starts functions with a fixed answer; `pid` and its children are all that serves them. */
    async serve() {
      const { port } = await ask('start')
      return { port, pid: child.pid ?? 0, databases: [] }
    },

    /** From no process to the first answer, one after another. CPU time and memory are those of workerd, without this process. */
    async measureStarts(ms: number): Promise<Metrics> {
      const times: number[] = []
      const cpuTimes: number[] = []
      let memory = {}
      for (const until = performance.now() + ms; performance.now() < until;) {
        times.push((await ask('start')).ms)
        const workerd = descendantsOf(child.pid ?? 0).at(-1) ?? 0
        cpuTimes.push(cpuMs(workerd))
        memory = { rssMb: rssMb(workerd), privateMb: privateMb(workerd) }
        await ask('stop')
      }
      return { startMs: median(times), cpuMs: median(cpuTimes), ...memory }
    },

    /** From the new code to its first answer. */
    async measureDeploy(): Promise<Metrics> {
      const before = cpuMs(child.pid ?? 0)
      const { ms } = await ask('deploy')
      return { wallMs: ms, cpuMs: cpuMs(child.pid ?? 0) - before }
    },
  }
}
