import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import type { Context } from '../context.ts'
import { findFunctionsFile } from './project.ts'

/** What `svc functions init` creates. */
export const DEFAULT_FOLDER = 'functions'

/** The given folder. Without one, the current folder, or the folder that `svc functions init` creates. */
export function folderOf({ system }: Context, directory?: string): string {
  const current = resolve(system.folder, directory ?? '.')
  const created = resolve(current, DEFAULT_FOLDER)
  const isCreated = directory === undefined && !findFunctionsFile(current) && findFunctionsFile(created)
  return isCreated ? created : current
}

/** The argument may also be the file of code; then the folder is the nearest one above it with a wrangler file, or the current one. */
export function projectOf(context: Context, argument?: string): { folder: string; entry?: string } {
  const current = context.system.folder
  const entry = argument === undefined ? undefined : resolve(current, argument)
  if (entry === undefined || !existsSync(entry) || !statSync(entry).isFile())
    return { folder: folderOf(context, argument) }
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    if (findFunctionsFile(folder)) return { folder, entry }
    if (folder === current || folder === dirname(folder)) return { folder: current, entry }
  }
}
