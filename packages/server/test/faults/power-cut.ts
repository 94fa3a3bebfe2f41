import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

/**
 * Simulates a power cut. The database is on ext4 in an image file behind a loop device. The writers are stopped and the image is
 * copied: it contains what had reached the "disk" at that moment. The copy is mounted and compared with the acknowledged writes.
 */
export async function powerCuts(
  runs: number,
  {
    workload = WORKLOADS.rows,
    noSync = false,
    syncMode,
  }: Pick<Partial<Writers>, 'workload' | 'noSync' | 'syncMode'> = {},
): Promise<Tally | { impossible: string }> {
  let total = emptyTally()
  for (let run = 0; run < runs; run++) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-power-cut-'))
    const mounts = createMounts()
    let writers: ChildProcess | undefined
    try {
      const image = join(folder, 'disk')
      const disk = join(folder, 'mounted')
      const answers = join(folder, 'answers')
      const refusal = mounts.make(image, disk)
      if (refusal) return { impossible: refusal }

      writers = await startWriters({
        workload,
        data: join(disk, 'data'),
        answers,
        run,
        noSync,
        ...(syncMode && { syncMode }),
      })
      await stop(writers)
      const copy = join(folder, 'disk-after-the-cut')
      execFileSync('cp', ['--sparse=always', image, copy])
      const acknowledged = readAnswers(answers)
      await killProcess(writers)

      const found = join(folder, 'mounted-after-the-cut')
      mounts.add(copy, found)
      total = await tally(total, workload, join(found, 'data'), acknowledged)
    } finally {
      if (writers) await killProcess(writers)
      mounts.removeAll()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return total
}

const IMAGE_BYTES = 512 * 1024 * 1024

function createMounts() {
  const mounted: string[] = []

  function add(image: string, folder: string) {
    mkdirSync(folder)
    execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'pipe' })
    mounted.push(folder)
  }

  return {
    add,

    /** Returns the reason if this machine does not support it. */
    make(image: string, folder: string): string | undefined {
      writeFileSync(image, '')
      truncateSync(image, IMAGE_BYTES)
      try {
        execFileSync('mkfs.ext4', ['-q', '-F', image], { stdio: 'pipe' })
        add(image, folder)
        execFileSync('sync')
        return undefined
      } catch (error) {
        return `no loop devices here (${String(error instanceof Error ? error.message : error).trim()})`
      }
    },

    removeAll() {
      for (const folder of mounted.reverse()) {
        try {
          execFileSync('umount', [folder], { stdio: 'pipe' })
        } catch {
          execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' })
        }
      }
    },
  }
}

/** Waits until the process has stopped: a response recorded after the copy would look like a loss. */
async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP')
  for (let tries = 0; tries < 1_000; tries++) {
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')) return
    await sleep(1)
  }
  throw new Error('the writers did not stop')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '20' },
      'no-sync': { type: 'boolean', default: false },
      ...workloadOption,
      ...syncOption,
    },
  })
  const workload = workloadOf(values)
  const total = await powerCuts(Number(values.runs), {
    workload,
    noSync: values['no-sync'],
    syncMode: syncModeOf(values),
  })
  if ('impossible' in total) {
    console.log(`power cut: not run, ${total.impossible}`)
  } else {
    console.log(sentence(`power cut (${values.of})${values['no-sync'] ? ', without any sync' : ''}`, total))
    process.exitCode = total.lost || total.broken ? 1 : 0
  }
}
