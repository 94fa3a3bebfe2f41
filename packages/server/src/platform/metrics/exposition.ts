import type { Metric, Sample } from './metrics.ts'
import { METRICS } from './table.ts'

/** A database or disk that does not answer must not keep the other metrics from being read. */
const READ_TIMEOUT_MS = 2_000

/** All metrics as text (https://prometheus.io/docs/instrumenting/exposition_formats/), those that cannot be read left out. */
export async function exposition(metrics: readonly Metric[]): Promise<string> {
  const { promise: late, resolve } = Promise.withResolvers<readonly Sample[]>()
  const timeout = setTimeout(resolve, READ_TIMEOUT_MS, [])
  try {
    const read = async (metric: Metric) => linesOf(metric, await samplesOf(metric, late))
    return (await Promise.all(metrics.map(read))).join('')
  } finally {
    clearTimeout(timeout)
  }
}

async function samplesOf(metric: Metric, late: Promise<readonly Sample[]>): Promise<readonly Sample[]> {
  try {
    const samples = metric.read()
    return samples instanceof Promise ? await Promise.race([samples, late]) : samples
  } catch {
    return []
  }
}

function linesOf({ name }: Metric, samples: readonly Sample[]): string {
  if (samples.length === 0) return ''
  const { help, type } = METRICS[name]
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
