import { hash } from 'node:crypto'
import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { Context } from '../context.ts'
import { Failure, isFailure } from '../output/failure.ts'
import { printable } from '../output/output.ts'
import { type Problem, problemText } from '../project/config-file.ts'
import { buildFunctions, type Built, deployBuilt } from './deploy.ts'
import { projectOf } from './folder.ts'
import { POLL_MS, printNewLines } from './logs.ts'
import { readFunctionsProject } from './project.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 100
const IN_PACKAGES = /[/\\]node_modules(?:[/\\]|$)/
const FOLDERS_MAX = 1_000

/**
 * Runs the code in the development environment: bundles and deploys it again when a file that it imports changes, and shows the log,
 * until the command is ended. Open rooms continue in the new code.
 */
export async function watchFunctions(context: Context, _options: object, directory?: string) {
  const { calls, out, env } = context
  const { folder, entry } = projectOf(context, directory)
  if (env !== 'development')
    throw new Failure('usage', 'svc functions dev deploys to development only.', {
      fix: 'Run the command without --env.',
    })
  const { build } = await readFunctionsProject(folder, entry)
  // A build command writes files: only those that it reads are watched.
  const watchedFolders = () => {
    if (!build) return foldersBelow(folder)
    return [folder, ...(existsSync(build.watched) ? foldersBelow(build.watched) : [])]
  }
  const changes = watchFolders()
  let deployed = { code: '', version: 0 }
  let hasProblem = false
  // Older lines are not about what is being worked on.
  let { next: after } = await calls.admin('readFunctionLogs', { query: { limit: 1 } })

  async function reload() {
    try {
      changes.watch(watchedFolders())
      const built = await buildFunctions(context, directory)
      // The code may import files from other folders.
      changes.watch([...watchedFolders(), ...(build ? [] : built.inputs)])
      const code = digestOf(built)
      if (code !== deployed.code)
        deployed = { code, version: (await deployBuilt(context, built, { finishMinutes: 0 })).version }
      else if (hasProblem) out.info(`no changes: v${deployed.version} is live`)
      hasProblem = false
    } catch (error) {
      if (!isErrorInCode(error)) throw error
      printProblems(context, error)
      hasProblem = true
    }
  }

  await reload()
  out.info('waiting for changes; press Ctrl-C to stop')
  for (;;) {
    after = await printNewLines(context, { after, folder })
    await Promise.race([changes.next(), pause(POLL_MS)])
    if (await changes.take()) await reload()
  }
}

/** Errors in the code, and a service that restarts. Other errors end the command. */
const isErrorInCode = (error: unknown): error is Failure =>
  isFailure(error, 'invalid_deployment', 'unreachable', 'service_unavailable') ||
  (isFailure(error) && error.exit === 'usage')

function printProblems({ out }: Context, { message, details, fix }: Failure) {
  const problems = Array.isArray(details?.['errors']) ? (details['errors'] as Problem[]) : []
  for (const problem of problems) out.problem(printable(problemText(problem)))
  if (problems.length === 0) out.problem(printable(message))
  if (fix !== undefined) out.line(`→ ${fix}`)
}

const digestOf = ({ body }: Built) => hash('sha256', JSON.stringify(body))

/** The folder and those in it, without packages and hidden ones. */
function foldersBelow(folder: string): string[] {
  const found = [folder]
  for (const path of found) {
    if (found.length > FOLDERS_MAX) break
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
        found.push(join(path, entry.name))
  }
  return found
}

/** Node 20 has no `Promise.withResolvers`. */
function nextChange() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

/** Changes in folders, without those of packages. */
function watchFolders() {
  const watchers = new Map<string, FSWatcher>()
  let changed = nextChange()
  let isChanged = false
  const note = () => {
    isChanged = true
    changed.resolve()
  }

  return {
    /** Replaces the folders that are watched. */
    watch(folders: readonly string[]) {
      const watched = new Set(folders.filter((folder) => !IN_PACKAGES.test(folder)))
      for (const [folder, watcher] of watchers) {
        if (watched.has(folder)) continue
        watcher.close()
        watchers.delete(folder)
      }
      for (const folder of watched)
        if (!watchers.has(folder)) watchers.set(folder, watch(folder, note).on('error', note))
    },
    next: () => changed.promise,
    /** Whether something has changed since the last call; waits until nothing changes any more. */
    async take(): Promise<boolean> {
      if (!isChanged) return false
      while (isChanged) {
        isChanged = false
        changed = nextChange()
        await pause(SETTLE_MS)
      }
      return true
    },
  }
}
