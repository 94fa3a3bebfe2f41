import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { syncModeOf, syncOption, WORKLOADS, workloadOf, workloadOption } from './workloads.ts'
import {
  emptyTally,
  killProcess,
  readAnswers,
  sentence,
  startWriters,
  type Tally,
  tally,
  type Writers,
} from './writers.ts'

/** Repeats kill -9 during writes on the same file: no acknowledged write may be lost. */
export async function killCycles(
  cycles: number,
  { workload = WORKLOADS.rows, syncMode }: Pick<Partial<Writers>, 'workload' | 'syncMode'> = {},
): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kill-'))
  const data = join(folder, 'data')
  let total = emptyTally()
  try {
    for (let run = 0; run < cycles; run++) {
      const answers = join(folder, `answers-${run}`)
      await killProcess(await startWriters({ workload, data, answers, run, ...(syncMode && { syncMode }) }))
      total = await tally(total, workload, data, readAnswers(answers))
    }
    return total
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { cycles: { type: 'string', default: '20' }, ...workloadOption, ...syncOption },
  })
  const total = await killCycles(Number(values.cycles), {
    workload: workloadOf(values),
    syncMode: syncModeOf(values),
  })
  console.log(sentence(`kill -9 (${values.of})`, total))
  process.exitCode = total.lost || total.broken ? 1 : 0
}
