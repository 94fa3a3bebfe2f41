import { fork } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { setPriority } from 'node:os'

import { HOUR_MS } from '../../platform/clock.ts'
import { OWN_FILES } from '../../platform/own-files.ts'
import { toolEnvironment } from '../../settings.ts'
import type { BackupRequest, BackupResult } from './request.ts'

type Reply = { result: BackupResult } | { error: string }

/** A backup that takes longer hangs. */
const DURATION_MS_MAX = 12 * HOUR_MS
const ERROR_CHARACTERS_MAX = 2_000
/** Requests of players come first. */
const PRIORITY = 15

/**
 * Writes and verifies a backup in another process, which does not delay requests of the service. Throws one sentence if there is no
 * archive; the result says whether the archive can be restored.
 */
export async function runInProcess(request: BackupRequest, stopping: AbortSignal): Promise<BackupResult> {
  const compileCache = getCompileCacheDir()
  const child = fork(OWN_FILES.backup, [], {
    env: toolEnvironment(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }),
    execArgv: [
      ...process.execArgv.filter((argument) => argument.startsWith('--conditions=')),
      '--disable-warning=ExperimentalWarning',
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  child.on('error', () => {})
  // Threads get the priority of the process at their start.
  if (child.pid !== undefined) setPriority(child.pid, PRIORITY)
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_CHARACTERS_MAX)
  })
  let reply: Reply | undefined
  child.once('message', (message) => void (reply = message as Reply))
  const end = () => child.kill('SIGKILL')
  const timer = setTimeout(end, DURATION_MS_MAX)
  stopping.addEventListener('abort', end)
  try {
    if (stopping.aborted) end()
    // A process that has just ended cannot receive: then `close` follows.
    child.send(request, () => {})
    const [code] = await once(child, 'close').catch((error: unknown) => [error])
    stopping.throwIfAborted()
    if (reply === undefined)
      throw new Error(`The process of the backup ended (${String(code)}). ${errors.trim()}`.trim())
    if ('error' in reply) throw new Error(reply.error)
    return reply.result
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', end)
  }
}
