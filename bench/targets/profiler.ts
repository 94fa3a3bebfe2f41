import { once } from 'node:events'

type Frame = { functionName: string; url: string; lineNumber: number }
type Profile = { nodes: { id: number; callFrame: Frame }[]; samples: number[]; timeDeltas: number[] }

/** Self time of each function while `work` ran, as a share of the busy time, largest first. */
export async function profiled<T>(inspectorPort: number, work: () => Promise<T>) {
  const session = await inspect(inspectorPort)
  await session.ask('Profiler.enable')
  await session.ask('Profiler.setSamplingInterval', { interval: 200 })
  await session.ask('Profiler.start')
  const result = await work()
  const { profile } = (await session.ask('Profiler.stop')) as { profile: Profile }
  session.close()
  return { result, selfTimes: selfTimesOf(profile) }
}

/** A session with the inspector of a process. */
export async function inspect(port: number) {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as [
    { webSocketDebuggerUrl: string },
  ]
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await once(socket, 'open')
  let id = 0
  return {
    close: () => socket.close(),
    ask: async (method: string, params: object = {}): Promise<unknown> => {
      socket.send(JSON.stringify({ id: ++id, method, params }))
      for (;;) {
        const [event] = (await once(socket, 'message')) as [{ data: string }]
        const reply = JSON.parse(event.data) as { id?: number; result?: unknown }
        if (reply.id === id) return reply.result
      }
    },
  }
}

const IDLE = new Set(['(idle)', '(root)'])

function selfTimesOf({ nodes, samples, timeDeltas }: Profile) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const micros = new Map<string, number>()
  samples.forEach((id, i) => {
    const name = frames.get(id) ?? ''
    if (!IDLE.has(name)) micros.set(name, (micros.get(name) ?? 0) + (timeDeltas[i] ?? 0))
  })
  const total = [...micros.values()].reduce((sum, each) => sum + each, 0)
  return [...micros].map(([name, each]) => ({ name, share: each / total })).sort((a, b) => b.share - a.share)
}

const nameOf = ({ functionName, url, lineNumber }: Frame): string => {
  const file = url.replace(/^.*\/(node_modules|packages)\//, '')
  const name = functionName || '(anonymous)'
  return file === '' ? name : `${name} (${file}:${lineNumber + 1})`
}
