import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Clock ticks per second in /proc; the same on every Linux that Node supports. */
const TICKS_PER_SECOND = 100
const SHOWN = 15

type Times = { file: string; wallSeconds: number; cpuSeconds: number }

/** Writes the times of this test process into a file when it exits. */
export function recordTimes(into: string | undefined) {
  if (into === undefined || process.env['NODE_TEST_CONTEXT'] === undefined || !isMainThread) return
  process.on('exit', () => {
    const times = { file: process.argv[1], wallSeconds: process.uptime(), cpuSeconds: cpuSeconds() }
    appendFileSync(into, `${JSON.stringify(times)}\n`)
  })
}

/** CPU time of this process and of the programs that it has started and that have exited. */
function cpuSeconds(): number {
  if (!existsSync('/proc/self/stat')) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks / TICKS_PER_SECOND
}

/** The processes that used most CPU time, one per line. Several files share a process: see test-groups.ts. */
export function mostExpensive(root: string, recorded: string): string {
  if (!existsSync(recorded)) return ''
  const all = readFileSync(recorded, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Times)
  const sum = all.reduce((seconds, each) => seconds + each.cpuSeconds, 0)
  const lines = all
    .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
    .slice(0, SHOWN)
    .map(({ file, wallSeconds, cpuSeconds: cpu }) => {
      const [inCpu, inAll] = [cpu, wallSeconds].map((seconds) => seconds.toFixed(1).padStart(7))
      return `${inCpu} s CPU ${inAll} s  ${relative(root, file)}`
    })
  return [`${all.length} test processes, ${sum.toFixed(0)} s CPU; most of it:`, ...lines].join('\n')
}
