import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Clock ticks per second in /proc; the same on every Linux that Node supports. */
const TICKS_PER_SECOND = 100
const SHOWN = 15

type Times = { process: string; what: string; wallSeconds: number; cpuSeconds: number }

/** Writes the times of every test of this process into a file. What runs before a test, such as loading all modules, counts as the test's. */
export async function recordTimes(into: string | undefined) {
  // A process that a test has forked may load this, too.
  const isTest = process.env['NODE_TEST_CONTEXT'] !== undefined && isMainThread && !process.send
  if (into === undefined || !isTest) return
  let last = { wallSeconds: 0, cpuSeconds: 0 }
  const record = (what: string) => {
    const now = { wallSeconds: process.uptime(), cpuSeconds: cpuSeconds() }
    const times: Times = {
      process: basename(process.argv[1] ?? ''),
      what,
      wallSeconds: now.wallSeconds - last.wallSeconds,
      cpuSeconds: now.cpuSeconds - last.cpuSeconds,
    }
    appendFileSync(into, `${JSON.stringify(times)}\n`)
    last = now
  }
  const { afterEach } = await import('node:test')
  afterEach(({ fullName }) => record(fullName))
  process.on('exit', () => record('end of the process'))
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

/** The tests that used most CPU time, one per line. */
export function mostExpensive(recorded: string): string {
  if (!existsSync(recorded)) return ''
  const all = readFileSync(recorded, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Times)
  const processes = new Set(all.map((each) => each.process)).size
  const sum = all.reduce((seconds, each) => seconds + each.cpuSeconds, 0)
  const lines = all
    .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
    .slice(0, SHOWN)
    .map(({ process: name, what, wallSeconds, cpuSeconds: cpu }) => {
      const [inCpu, inAll] = [cpu, wallSeconds].map((seconds) => seconds.toFixed(1).padStart(7))
      return `${inCpu} s CPU ${inAll} s  ${name}: ${what}`
    })
  return [`${processes} test processes, ${sum.toFixed(0)} s CPU; most of it:`, ...lines].join('\n')
}
