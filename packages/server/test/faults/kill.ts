import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { emptyTally, endAtOnce, readAnswers, sentence, startWriters, type Tally, tally } from './writers.ts'

/** kill -9 under writers, again and again on the same file: no acknowledged write may be lost. */
export async function killCycles(cycles: number): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kill-'))
  const data = join(folder, 'data')
  let total = emptyTally()
  try {
    for (let run = 0; run < cycles; run++) {
      const answers = join(folder, `answers-${run}`)
      await endAtOnce(await startWriters({ data, answers, run }))
      total = await tally(total, data, readAnswers(answers))
    }
    return total
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { cycles: { type: 'string', default: '20' } } })
  const total = await killCycles(Number(values.cycles))
  console.log(sentence('kill -9', total))
  process.exitCode = total.lost || total.broken ? 1 : 0
}
